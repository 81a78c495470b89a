// Life of a batch. Since workers take batches in turn, every event follows from earlier batches,
// and one pass in the order of the batches computes all of them.
#include "penstock/analyze/simulate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "penstock/base/rng.h"

namespace penstock::analyze {
namespace {

constexpr std::uint32_t kMostWorkers = 1024;
constexpr std::uint64_t kMostBatches = 1'000'000;
constexpr std::uint64_t kBatchesOfSearch = 10'000;
constexpr double kTolerableStalls = 0.01;  // of compute time

Status check(const SimulateOptions& options) {
  if (options.workers < 1 || options.workers > kMostWorkers) {
    return invalid_argument("workers is ", options.workers, ", expected 1 to ", kMostWorkers);
  }
  if (options.accelerators < 1) return invalid_argument("accelerators is 0, expected 1 or more");
  if (options.batches < options.accelerators || options.batches > kMostBatches) {
    return invalid_argument("batches is ", options.batches, ", expected ", options.accelerators,
                            " (one for each accelerator) to ", kMostBatches);
  }
  if (!(options.step_ms > 0)) {
    return invalid_argument("step is ", options.step_ms, " ms, expected more than 0");
  }
  const bool is_jitter = options.jitter >= 0 && options.jitter <= 10;
  if (!is_jitter) {
    return invalid_argument("jitter is ", options.jitter, ", expected 0 to 10");
  }
  if (options.loads_ms.empty()) return invalid_argument("no load times, expected one or more");
  for (const double load : options.loads_ms) {
    if (!(load > 0)) return invalid_argument("load is ", load, " ms, expected more than 0");
  }
  return {};
}

// Log-normal with mean 1 and standard deviation `jitter`.
double random_factor(const SimulateOptions& options, std::uint64_t batch) {
  if (options.jitter == 0) return 1;
  Rng rng(RngKey{.seed = options.seed, .sample = batch});
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform(0, 1)));
  const double normal = radius * std::cos(2 * std::numbers::pi * rng.uniform(0, 1));
  const double variance = std::log1p(options.jitter * options.jitter);
  return std::exp(std::sqrt(variance) * normal - variance / 2);
}

class Simulator {
 public:
  explicit Simulator(const SimulateOptions& options)
      : options_(options),
        worker_free_ms_(options.workers, 0.0),
        handed_over_ms_(std::min<std::uint64_t>(options.most_outstanding(), options.batches), 0.0) {
  }

  Simulation run() {
    result_.steps = options_.batches / options_.accelerators;
    result_.batches.reserve(result_.steps * options_.accelerators);
    for (std::uint64_t step = 0; step < result_.steps; ++step) take_step(step);
    result_.total_ms = step_end_ms_;
    result_.compute_ms = static_cast<double>(result_.steps) * options_.step_ms;
    return std::move(result_);
  }

 private:
  void load(SimulatedBatch& batch, std::uint64_t number) {
    const double takes_ms = options_.loads_ms[number % options_.loads_ms.size()];
    double& free_ms = worker_free_ms_[batch.worker];
    // A worker may begin when the batch `most_outstanding` before was handed over.
    double& handed_over_ms = handed_over_ms_[number % handed_over_ms_.size()];
    batch.load_begin_ms = std::max(free_ms, handed_over_ms);
    batch.load_end_ms = batch.load_begin_ms + takes_ms * random_factor(options_, number);
    free_ms = batch.load_end_ms;
    in_order_ms_ = std::max(in_order_ms_, batch.load_end_ms);
    handed_over_ms = std::max(in_order_ms_, step_end_ms_);
  }

  void take_step(std::uint64_t step) {
    const double last_end_ms = step_end_ms_;
    for (std::uint32_t accelerator = 0; accelerator < options_.accelerators; ++accelerator) {
      const std::uint64_t number = step * options_.accelerators + accelerator;
      SimulatedBatch batch{.worker = static_cast<std::uint32_t>(number % options_.workers),
                           .accelerator = accelerator};
      load(batch, number);
      batch.free_ms = last_end_ms;
      batch.wait_ms = std::max(0.0, in_order_ms_ - last_end_ms);
      result_.batches.push_back(batch);
    }
    const double begin_ms = std::max(in_order_ms_, last_end_ms);
    step_end_ms_ = begin_ms + options_.step_ms;
    for (auto it = result_.batches.end() - options_.accelerators; it < result_.batches.end();
         ++it) {
      it->step_begin_ms = begin_ms;
      it->step_end_ms = step_end_ms_;
    }
    (step == 0 ? result_.first_wait_ms : result_.stall_ms) += begin_ms - last_end_ms;
  }

  const SimulateOptions& options_;
  std::vector<double> worker_free_ms_;
  std::vector<double> handed_over_ms_;  // of the last batches, in a ring
  double in_order_ms_ = 0;              // when all batches up to here are loaded
  double step_end_ms_ = 0;
  Simulation result_;
};

}  // namespace

double Simulation::utilisation() const {
  if (steps < 2) return compute_ms / total_ms;
  const double later_ms = compute_ms - compute_ms / static_cast<double>(steps);
  return later_ms / (later_ms + stall_ms);
}

Result<Simulation> simulate(const SimulateOptions& options) {
  PENSTOCK_TRY(check(options));
  return Simulator(options).run();
}

Result<std::optional<std::uint32_t>> workers_without_waiting(const SimulateOptions& options) {
  PENSTOCK_TRY(check(options));
  SimulateOptions tried = options;
  tried.batches = std::max<std::uint64_t>(kBatchesOfSearch, options.accelerators);
  for (tried.workers = 1; tried.workers <= kMostWorkers; ++tried.workers) {
    const Simulation result = Simulator(tried).run();
    if (result.stall_ms <= kTolerableStalls * result.compute_ms)
      return std::optional(tried.workers);
  }
  return std::optional<std::uint32_t>();
}

std::optional<std::uint64_t> wait_period(const Simulation& simulation) {
  const std::uint64_t accelerators = simulation.batches.size() / simulation.steps;
  // An accelerator waits until the last batch of the step is there.
  const auto wait_ms = [&](std::uint64_t step) {
    return simulation.batches[(step + 1) * accelerators - 1].wait_ms;
  };
  double longest_ms = 0;
  for (std::uint64_t step = 1; step < simulation.steps; ++step) {
    longest_ms = std::max(longest_ms, wait_ms(step));
  }
  if (simulation.stall_ms <= kTolerableStalls * simulation.compute_ms) return std::nullopt;

  std::optional<std::uint64_t> last;
  std::optional<std::uint64_t> period;
  for (std::uint64_t step = 1; step < simulation.steps; ++step) {
    if (wait_ms(step) < longest_ms / 2) continue;
    if (last && period.value_or(step - *last) != step - *last) return std::nullopt;
    if (last) period = step - *last;
    last = step;
  }
  return period;
}

}  // namespace penstock::analyze
