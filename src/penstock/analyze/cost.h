// What a sample costs at each stage, and the rate that follows from it.
#pragma once

#include <limits>

#include "penstock/analyze/verdict.h"

namespace penstock::analyze {

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Seconds a sample, and what there is to work with. A stage that is taken away costs nothing.
struct Cost {
  double storage_s = 0;    // a reader waits for storage
  double read_s = 0;       // a reader works
  double decode_s = 0;     // a worker
  double transform_s = 0;  // a worker
  double map_s = 0;        // the consumer, in functions of the pipeline
  double step_s = 0;       // the consumer, else
  // CPU time of the same, as far as it differs.
  double decode_cpu_s = 0;
  double transform_cpu_s = 0;
  double map_cpu_s = 0;
  double other_cpu_s = 0;  // other threads of this process: the trainer's, the HTTP client's

  double decoded_bytes = 0;

  double num_readers = 1;
  double num_workers = 1;
  double max_workers = 1;         // that there may be
  double free_cores = 1;          // that no other process uses
  double hand_over = kUnlimited;  // samples a second that few prefetched batches let pass
  double memory_s = 0;            // all of the machine's memory, with what it must move at least

  double worker_s() const { return decode_s + transform_s; }
  double consumer_s() const { return map_s + step_s; }
  double cpu_s() const { return read_s + decode_cpu_s + transform_cpu_s + map_cpu_s + other_cpu_s; }

  // Samples a second that each could pass.
  double reader_rate() const;
  double worker_rate() const;
  double core_rate() const;
  double memory_rate() const;
  double consumer_rate() const;
  // The least of all.
  double rate() const;
};

Cost measure_cost(const deliver::Snapshot& passed, const RunFacts& facts);

}  // namespace penstock::analyze
