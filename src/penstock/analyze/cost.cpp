// From counters to seconds a sample.
#include "penstock/analyze/cost.h"

#include <algorithm>

namespace penstock::analyze {
namespace {

using deliver::Snapshot;

// Both sides of a hand-over must wait so much of their time before it is to blame, and everything
// else must allow so much more than there was.
constexpr double kStuckShare = 0.05;
constexpr double kUnusedShare = 0.08;
// The first batches always wait.
constexpr std::uint64_t kMinBatches = 8;
// What is free of the cores can be seen only so well.
constexpr double kMinFreeCores = 0.25;

double per_second(double units, double seconds_each) {
  return seconds_each > 0 ? units / seconds_each : kUnlimited;
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Cores that other processes leave.
double free_cores(const Snapshot& passed, const RunFacts& facts) {
  const double others = std::max(0.0, passed.machine_cpu_s - passed.process_cpu_s) / passed.time_s;
  const double left = static_cast<double>(facts.machine_cores) - others;
  return std::clamp(left, kMinFreeCores, static_cast<double>(facts.cores));
}

void measure_workers(const Snapshot& passed, Cost& cost) {
  const auto samples = static_cast<double>(passed.decode.samples);
  if (samples == 0) return;
  const double busy_s = passed.decode.busy_s + passed.transform.busy_s;
  // A thread that waits for a core is busy by the clock, but not in CPU time.
  const double cpu_share = std::min(1.0, share(passed.worker_cpu_s, busy_s));
  const bool has_a_core_each = cost.num_workers <= cost.free_cores;
  const double wall_share = has_a_core_each ? 1.0 : cpu_share;
  cost.decoded_bytes = static_cast<double>(passed.decode.bytes) / samples;
  cost.decode_s = passed.decode.busy_s * wall_share / samples;
  cost.transform_s = passed.transform.busy_s * wall_share / samples;
  cost.decode_cpu_s = passed.decode.busy_s * cpu_share / samples;
  cost.transform_cpu_s = passed.transform.busy_s * cpu_share / samples;
}

void measure_readers(const Snapshot& passed, Cost& cost) {
  const auto samples = static_cast<double>(passed.read.samples);
  if (samples == 0) return;
  cost.read_s = std::min(passed.reader_cpu_s, passed.read.busy_s) / samples;
  cost.storage_s = passed.read.busy_s / samples - cost.read_s;
}

void measure_consumer(const Snapshot& passed, Cost& cost) {
  const auto samples = static_cast<double>(passed.trainer.samples);
  if (samples == 0) return;
  cost.map_s = passed.map.busy_s / samples;
  cost.step_s = passed.trainer.busy_s / samples;
  cost.map_cpu_s = passed.map_cpu_s / samples;
  const double others_s =
      passed.process_cpu_s - passed.worker_cpu_s - passed.reader_cpu_s - passed.map_cpu_s;
  cost.other_cpu_s = std::max(0.0, others_s) / samples;
}

// What came from storage is read, a batch is written; the rest may stay in caches.
void measure_memory(const Snapshot& passed, const RunFacts& facts, Cost& cost) {
  if (facts.memory_bytes_per_s <= 0) return;
  const double read_bytes =
      share(static_cast<double>(passed.read.bytes), static_cast<double>(passed.read.samples));
  cost.memory_s = (read_bytes + facts.sample_bytes) / facts.memory_bytes_per_s;
}

// Workers that wait for a slot while the trainer waits for a batch: too few batches are kept ready.
void measure_hand_over(const Snapshot& passed, Cost& cost) {
  if (passed.batches < kMinBatches) return;
  const double trainer_waits = passed.trainer.wait_input_s / passed.time_s;
  const double workers_wait =
      passed.transform.wait_output_s / (passed.time_s * std::max(1.0, cost.num_workers));
  if (trainer_waits < kStuckShare || workers_wait < kStuckShare) return;
  const double rate = static_cast<double>(passed.trainer.samples) / passed.time_s;
  if (rate < (1 - kUnusedShare) * cost.rate()) cost.hand_over = rate;
}

}  // namespace

double Cost::reader_rate() const { return per_second(num_readers, storage_s + read_s); }
double Cost::worker_rate() const { return per_second(num_workers, worker_s()); }
double Cost::core_rate() const { return per_second(free_cores, cpu_s()); }
double Cost::memory_rate() const { return per_second(1, memory_s); }
double Cost::consumer_rate() const { return per_second(1, consumer_s()); }
double Cost::rate() const {
  return std::min(
      {reader_rate(), worker_rate(), core_rate(), memory_rate(), consumer_rate(), hand_over});
}

Cost measure_cost(const Snapshot& passed, const RunFacts& facts) {
  Cost cost;
  cost.num_readers = std::max(1, passed.read.threads);
  cost.num_workers = std::max(1, passed.decode.threads);
  cost.max_workers = std::max<double>(cost.num_workers, facts.max_threads);
  cost.free_cores = free_cores(passed, facts);
  measure_workers(passed, cost);
  measure_readers(passed, cost);
  measure_memory(passed, facts, cost);
  measure_consumer(passed, cost);
  measure_hand_over(passed, cost);
  return cost;
}

}  // namespace penstock::analyze
