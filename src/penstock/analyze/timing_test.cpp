#include "penstock/analyze/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace penstock::analyze {
namespace {

using ::testing::HasSubstr;

std::vector<TimedBatch> batches(std::size_t count, double step_s, auto wait_s) {
  std::vector<TimedBatch> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back({i, wait_s(i), step_s});
  return out;
}

TEST(TimingTest, FindsThatEveryFourthBatchWaits) {
  const Timing timing =
      analyze_timing(batches(101, 0.1, [](std::size_t i) { return i % 4 == 0 ? 1.0 : 0.0; }));
  EXPECT_EQ(timing.outliers.count, 25u);
  EXPECT_EQ(timing.outliers.period, 4u);
  EXPECT_NEAR(timing.utilisation, 10.0 / 35.0, 1e-9);
  EXPECT_THAT(timing.cause, HasSubstr("every 4 batches one waits 1000 ms: 4 workers"));
}

TEST(TimingTest, SeesThatATrainerIsFed) {
  const Timing timing = analyze_timing(batches(50, 0.1, [](std::size_t) { return 0.0001; }));
  EXPECT_EQ(timing.outliers.count, 0u);
  EXPECT_GT(timing.utilisation, 0.99);
  EXPECT_THAT(timing.cause, HasSubstr("is fed"));
}

TEST(TimingTest, SeesThatEveryBatchWaits) {
  const Timing timing = analyze_timing(batches(50, 0.1, [](std::size_t) { return 0.05; }));
  EXPECT_EQ(timing.outliers.count, 0u);
  EXPECT_THAT(timing.cause, HasSubstr("almost every batch waits about 50 ms"));
}

TEST(TimingTest, FindsNoRhythmWhereThereIsNone) {
  const Timing timing = analyze_timing(batches(100, 0.01, [](std::size_t i) {
    return i == 3 || i == 17 || i == 40 || i == 41 || i == 90 ? 0.5 : 0.0;
  }));
  EXPECT_EQ(timing.outliers.period, 0u);
  EXPECT_THAT(timing.cause, HasSubstr("5 batches wait 500 ms without a rhythm"));
}

TEST(TimingTest, LeavesTheFirstBatchOut) {
  const auto waits = [](std::size_t i) { return i == 0 ? 30.0 : 0.0; };
  EXPECT_EQ(analyze_timing(batches(50, 0.1, waits)).wait_s, 0);
  EXPECT_EQ(analyze_timing(batches(2, 0.1, waits)).num_batches, 0u);
}

TEST(BatchLogTest, ReadsLinesAnywhereInALog) {
  std::string log = "starting\n";
  for (int i = 0; i < 40; ++i) {
    log += "[rank 0] batch_results: " + std::to_string(i) + ", " + (i % 4 == 3 ? "130" : "100.5") +
           " \n";
  }
  const auto parsed = parse_batch_log(log);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  ASSERT_EQ(parsed->size(), 40u);
  EXPECT_NEAR((*parsed)[3].wait_s, 0.0295, 1e-9);
  EXPECT_NEAR((*parsed)[3].step_s, 0.1005, 1e-9);
  EXPECT_EQ(analyze_timing(*parsed).outliers.period, 4u);
}

TEST(BatchLogTest, SaysWhichLineMakesNoSense) {
  EXPECT_EQ(parse_batch_log("batch_results: 1, 2\nbatch_results: one, 2\n").status().message(),
            "line 2: batch_results: one, 2, expected a number and milliseconds, as in "
            "\"batch_results: 17, 103.5\"");
  EXPECT_EQ(parse_batch_log("nothing\n").status().message(),
            "no line has \"batch_results: N, MS\"");
  EXPECT_FALSE(parse_batch_log("batch_results: 1, nan").ok());
  EXPECT_FALSE(parse_batch_log("batch_results: 1, -3").ok());
}

}  // namespace
}  // namespace penstock::analyze
