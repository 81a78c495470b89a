#include "penstock/deliver/batch_times.h"

#include <gtest/gtest.h>

#include <thread>

namespace penstock::deliver {
namespace {

using std::chrono::milliseconds;

TEST(BatchTimesTest, TellsWaitingFromWorking) {
  BatchTimes times(BatchTimes::Clock::now());
  times.ask();
  std::this_thread::sleep_for(milliseconds(20));
  times.give_up();
  times.ask();
  std::this_thread::sleep_for(milliseconds(20));
  times.hand_over(8);
  std::this_thread::sleep_for(milliseconds(30));
  times.add_map(0.01, 0.005);
  times.ask();
  const auto last = times.last();
  ASSERT_EQ(last.size(), 1u);
  EXPECT_GE(last[0].wait_s, 0.04);
  EXPECT_EQ(last[0].map_s, 0.01);
  EXPECT_GE(last[0].step_s, 0.02);

  Snapshot snapshot;
  times.count(snapshot);
  EXPECT_EQ(snapshot.batches, 1u);
  EXPECT_EQ(snapshot.trainer.samples, 8u);
  EXPECT_EQ(snapshot.map.busy_s, 0.01);
  EXPECT_EQ(snapshot.map_cpu_s, 0.005);
  EXPECT_EQ(snapshot.trainer.busy_s, last[0].step_s);
}

TEST(BatchTimesTest, KeepsTheLastOnes) {
  BatchTimes times(BatchTimes::Clock::now());
  const std::size_t count = BatchTimes::kNumKept + 10;
  for (std::size_t i = 0; i < count; ++i) {
    times.ask();
    times.hand_over(1);
  }
  times.ask();
  const auto last = times.last();
  ASSERT_EQ(last.size(), BatchTimes::kNumKept);
  EXPECT_EQ(last.back().number, count - 1);
}

}  // namespace
}  // namespace penstock::deliver
