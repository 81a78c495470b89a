// Life of a batch: workers that load, accelerators that step, and who waits for whom.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "penstock/base/result.h"

namespace penstock::analyze {

// A loader in which each worker loads whole batches. Batch i goes to worker i % workers, and
// batches are handed over in order. In a step each accelerator takes one batch; all begin a step
// together, when the last of their batches is there, as in data-parallel training.
struct SimulateOptions {
  std::uint32_t workers = 4;
  std::uint32_t accelerators = 1;
  // Batches loaded or being loaded that were not handed over yet; 0: two for each worker.
  std::uint32_t prefetch = 0;
  std::uint64_t batches = 100;
  double step_ms = 100;
  // Batch i takes loads_ms[i % size] to load: measured times, or one for all.
  std::vector<double> loads_ms = {100};
  // Standard deviation of load times as a share of each; log-normal. 0: as they are.
  double jitter = 0;
  std::uint64_t seed = 0;

  std::uint32_t most_outstanding() const { return prefetch == 0 ? 2 * workers : prefetch; }
};

// Milliseconds since the start.
struct SimulatedBatch {
  std::uint32_t worker = 0;
  std::uint32_t accelerator = 0;
  double load_begin_ms = 0;
  double load_end_ms = 0;
  double free_ms = 0;  // when its accelerator had finished the step before
  double wait_ms = 0;  // from then on until the batch was handed over
  double step_begin_ms = 0;
  double step_end_ms = 0;
};

struct Simulation {
  std::vector<SimulatedBatch> batches;
  std::uint64_t steps = 0;
  double total_ms = 0;
  double first_wait_ms = 0;  // until the first step; nothing can be done about it
  double stall_ms = 0;       // waiting before later steps, of each accelerator
  double compute_ms = 0;     // of each accelerator

  // Compute time of total time, without the first step (as MLPerf Storage defines it).
  double utilisation() const;
};

// Fails naming the option that makes no sense. Takes time in proportion to the batches.
Result<Simulation> simulate(const SimulateOptions& options);

// The fewest workers with which stalls are 1 % of compute time or less; nullopt if 1,024 are too
// few, or `prefetch` is too low for any number. Looks at 10,000 batches, however many are asked
// for.
Result<std::optional<std::uint32_t>> workers_without_waiting(const SimulateOptions& options);

// How many steps apart the long waits are, those over half of the longest one, if the distance is
// always the same; nullopt if it is not, or if stalls are 1 % of compute time or less.
std::optional<std::uint64_t> wait_period(const Simulation& simulation);

}  // namespace penstock::analyze
