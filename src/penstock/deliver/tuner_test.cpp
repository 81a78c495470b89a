#include "penstock/deliver/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace penstock::deliver {
namespace {

using ::testing::HasSubstr;

// A made-up run: so many samples a second for a setting, and a trainer that takes so many.
struct Plant {
  std::function<double(const Setting&)> rate;
  double trainer_rate = 1e9;
  double samples_per_batch = 32;

  double samples = 0;
  Snapshot now{};

  void run(const Setting& setting, double seconds) {
    const double can = rate(setting);
    const double taken = std::min(can, trainer_rate);
    const double busy = std::min(1.0, taken / can);
    now.time_s += seconds;
    samples += taken * seconds;
    now.batches = static_cast<std::uint64_t>(samples / samples_per_batch);
    const double delivered = static_cast<double>(now.batches) * samples_per_batch;
    now.trainer.samples = static_cast<std::uint64_t>(delivered);
    now.last_batch_s = now.time_s - (samples - delivered) / taken;
    now.trainer.wait_input_s += seconds * (can < trainer_rate ? 1 - can / trainer_rate : 0);
    now.decode.threads = now.transform.threads = setting.threads;
    now.decode.busy_s += seconds * setting.threads * busy;
    now.transform.wait_output_s += seconds * setting.threads * (1 - busy);
    now.ready_batches = can > trainer_rate ? static_cast<std::size_t>(setting.prefetch) : 0;
  }
};

Setting after(double seconds, Tuner& tuner, Plant& plant) {
  for (double end = plant.now.time_s + seconds; plant.now.time_s < end;) {
    plant.run(tuner.setting(), 0.1);
    tuner.look(plant.now);
  }
  return tuner.setting();
}

constexpr TunerLimits kEightCores{.max_threads = 8, .max_prefetch = 64};

double by_threads(const Setting& setting) { return 1000.0 * std::min(setting.threads, 8); }

TEST(TunerTest, GoesFromOneThreadToAllCoresWhileThatHelps) {
  Tuner tuner({.threads = 1}, kEightCores);
  Plant plant{by_threads};
  EXPECT_EQ(after(10, tuner, plant).threads, 8);
}

TEST(TunerTest, NeverHasMoreThreadsThanCores) {
  Tuner tuner({.threads = 64}, kEightCores);
  Plant plant{by_threads};
  EXPECT_EQ(after(0.1, tuner, plant).threads, 8);
  EXPECT_EQ(after(30, tuner, plant).threads, 8);
  EXPECT_EQ(tuner.steps().front().what, "threads");
  EXPECT_EQ(tuner.steps().front().why, "there are 8 cores");
}

TEST(TunerTest, GoesBackWhenMoreThreadsDoNotHelp) {
  Tuner tuner({.threads = 2}, kEightCores);
  Plant plant{[](const Setting&) { return 500.0; }};
  EXPECT_EQ(after(10, tuner, plant).threads, 2);
  ASSERT_EQ(tuner.steps().size(), 2u);
  EXPECT_THAT(tuner.steps()[1].why, HasSubstr("more gave 500 samples/s in place of 500"));
}

TEST(TunerTest, LeavesCoresToATrainerThatIsFed) {
  Tuner tuner({.threads = 8}, kEightCores);
  Plant plant{by_threads, 1500};
  EXPECT_EQ(after(10, tuner, plant).threads, 2);
}

TEST(TunerTest, TakesThemAgainWhenTheLoadIsAnother) {
  Tuner tuner({.threads = 8}, kEightCores);
  Plant plant{by_threads, 1500};
  after(10, tuner, plant);
  plant.trainer_rate = 7500;
  EXPECT_EQ(after(10, tuner, plant).threads, 8);
}

TEST(TunerTest, PrefetchesMoreWhileThreadsAndTrainerBothWait) {
  Tuner tuner({.threads = 8, .prefetch = 1}, kEightCores);
  Plant plant;
  plant.rate = [](const Setting& setting) { return 100.0 * std::min(setting.prefetch, 16); };
  const auto run = [&](double seconds) {
    for (double end = plant.now.time_s + seconds; plant.now.time_s < end;) {
      plant.run(tuner.setting(), 0.1);
      plant.now.transform.wait_output_s += 0.4;
      tuner.look(plant.now);
    }
  };
  run(15);
  EXPECT_EQ(tuner.setting().prefetch, 16);
}

TEST(TunerTest, KeepsFewerBatchesThanAreNeeded) {
  Tuner tuner({.threads = 1, .prefetch = 1000}, kEightCores);
  Plant plant{by_threads, 500};
  EXPECT_EQ(after(10, tuner, plant).prefetch, 2);
}

TEST(TunerTest, FewerBatchesAreNotToBlameForASlowerTrainer) {
  Tuner tuner({.threads = 1, .prefetch = 1000}, kEightCores);
  Plant plant{by_threads, 500};
  after(0.8, tuner, plant);
  plant.trainer_rate = 450;
  EXPECT_EQ(after(5, tuner, plant).prefetch, 2);
}

TEST(TunerTest, ChangesNothingThatItMayNot) {
  Tuner tuner({.threads = 64, .prefetch = 1},
              {.tunes_threads = false, .tunes_prefetch = false, .max_threads = 8});
  Plant plant{by_threads, 500};
  EXPECT_EQ(after(10, tuner, plant), (Setting{.threads = 64, .prefetch = 1}));
}

}  // namespace
}  // namespace penstock::deliver
