#include "penstock/analyze/simulate.h"

#include <gmock/gmock.h>

#include <cmath>

namespace penstock::analyze {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

Simulation run(const SimulateOptions& options) {
  auto result = simulate(options);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return *std::move(result);
}

std::vector<double> waits(const Simulation& simulation) {
  std::vector<double> waits;
  for (const SimulatedBatch& batch : simulation.batches) waits.push_back(batch.wait_ms);
  return waits;
}

std::string message_of(const SimulateOptions& options) {
  return std::string(simulate(options).status().message());
}

TEST(SimulateTest, OneWorkerThatIsFasterThanTheStepIsWaitedForOnce) {
  const Simulation result = run({.workers = 1, .batches = 4, .step_ms = 10, .loads_ms = {7}});
  EXPECT_THAT(waits(result), ElementsAre(7, 0, 0, 0));
  EXPECT_EQ(result.total_ms, 47);
  EXPECT_EQ(result.first_wait_ms, 7);
  EXPECT_EQ(result.stall_ms, 0);
  EXPECT_EQ(result.utilisation(), 1);
}

TEST(SimulateTest, OneWorkerThatIsSlowerIsWaitedForBeforeEveryStep) {
  const Simulation result = run({.workers = 1, .batches = 4, .step_ms = 10, .loads_ms = {25}});
  EXPECT_THAT(waits(result), ElementsAre(25, 15, 15, 15));
  EXPECT_EQ(result.total_ms, 110);
  EXPECT_EQ(result.stall_ms, 45);
  EXPECT_DOUBLE_EQ(result.utilisation(), 30.0 / 75);
  EXPECT_EQ(wait_period(result), 1);
}

// The published log: batch times of 1040, 43, 89, 29, 1025, 37, 23, 90, 1053 ms with four workers.
TEST(SimulateTest, FourSlowWorkersGiveOneLongWaitEveryFourthBatch) {
  const Simulation result = run({.workers = 4, .batches = 12, .step_ms = 40, .loads_ms = {1160}});
  EXPECT_THAT(waits(result), ElementsAre(1160, 0, 0, 0, 1000, 0, 0, 0, 1000, 0, 0, 0));
  EXPECT_EQ(wait_period(result), 4);
}

// Four steps of four workers are where waiting ends, and a little more brings it back.
TEST(SimulateTest, FourWorkersEndTheWaitingIfLoadingTakesFourSteps) {
  SimulateOptions options{.workers = 4, .batches = 12, .step_ms = 40, .loads_ms = {160}};
  EXPECT_THAT(waits(run(options)), ElementsAre(160, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(workers_without_waiting(options).value(), 4);
  options.loads_ms = {164};
  EXPECT_THAT(waits(run(options)), ElementsAre(164, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0));
  EXPECT_EQ(workers_without_waiting(options).value(), 5);
}

TEST(SimulateTest, BatchesGoToWorkersInTurn) {
  const Simulation result = run({.workers = 2, .batches = 4, .step_ms = 10, .loads_ms = {30, 20}});
  std::vector<std::uint32_t> workers;
  std::vector<double> begins;
  for (const SimulatedBatch& batch : result.batches) {
    workers.push_back(batch.worker);
    begins.push_back(batch.load_begin_ms);
  }
  EXPECT_THAT(workers, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(begins, ElementsAre(0, 0, 30, 20));
}

// A batch that is ready waits for the one before it.
TEST(SimulateTest, BatchesAreHandedOverInOrder) {
  const Simulation result = run({.workers = 2, .batches = 2, .step_ms = 10, .loads_ms = {50, 20}});
  EXPECT_EQ(result.batches[0].step_begin_ms, 50);
  EXPECT_EQ(result.batches[1].step_begin_ms, 60);
}

// With one batch outstanding, the second is begun when the first is handed over.
TEST(SimulateTest, PrefetchBoundsWhatIsLoadedAhead) {
  const Simulation result =
      run({.workers = 4, .prefetch = 1, .batches = 3, .step_ms = 10, .loads_ms = {30}});
  EXPECT_EQ(result.batches[1].load_begin_ms, 30);
  EXPECT_THAT(waits(result), ElementsAre(30, 20, 20));
  EXPECT_EQ(workers_without_waiting({.prefetch = 1, .step_ms = 10, .loads_ms = {30}}).value(),
            std::nullopt);
}

TEST(SimulateTest, AnyAmountOfPrefetchIsFine) {
  const Simulation result =
      run({.workers = 1, .prefetch = 4'000'000'000, .batches = 3, .step_ms = 30, .loads_ms = {10}});
  EXPECT_EQ(result.batches[2].load_begin_ms, 20);
}

TEST(SimulateTest, AcceleratorsStepTogetherWhenTheLastBatchIsThere) {
  const Simulation result =
      run({.workers = 1, .accelerators = 2, .batches = 5, .step_ms = 10, .loads_ms = {20}});
  EXPECT_EQ(result.steps, 2);
  ASSERT_EQ(result.batches.size(), 4);
  EXPECT_EQ(result.batches[0].step_begin_ms, 40);
  EXPECT_EQ(result.batches[1].step_begin_ms, 40);
  EXPECT_EQ(result.batches[2].step_begin_ms, 80);
  EXPECT_EQ(result.stall_ms, 30);
  EXPECT_EQ(workers_without_waiting({.accelerators = 8, .step_ms = 10, .loads_ms = {20}}).value(),
            16);
}

TEST(SimulateTest, JitterKeepsTheMeanAndIsTheSameForTheSameSeed) {
  const SimulateOptions options{
      .workers = 1, .batches = 20'000, .step_ms = 1, .loads_ms = {10}, .jitter = 0.5};
  const Simulation result = run(options);
  double sum = 0;
  double squares = 0;
  for (const SimulatedBatch& batch : result.batches) {
    const double load_ms = batch.load_end_ms - batch.load_begin_ms;
    sum += load_ms;
    squares += load_ms * load_ms;
  }
  const double mean = sum / 20'000;
  EXPECT_THAT(mean, DoubleNear(10, 0.1));
  EXPECT_THAT(std::sqrt(squares / 20'000 - mean * mean), DoubleNear(5, 0.3));
  EXPECT_EQ(run(options).total_ms, result.total_ms);
}

TEST(SimulateTest, NamesTheOptionThatMakesNoSense) {
  EXPECT_EQ(message_of({.workers = 0}), "workers is 0, expected 1 to 1024");
  EXPECT_EQ(message_of({.step_ms = 0}), "step is 0 ms, expected more than 0");
  EXPECT_EQ(message_of({.loads_ms = {5, -1}}), "load is -1 ms, expected more than 0");
  EXPECT_EQ(message_of({.jitter = -1}), "jitter is -1, expected 0 to 10");
  EXPECT_EQ(message_of({.accelerators = 8, .batches = 4}),
            "batches is 4, expected 8 (one for each accelerator) to 1000000");
}

}  // namespace
}  // namespace penstock::analyze
