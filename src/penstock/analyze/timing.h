// Batch by batch: who waited, how often, and most likely why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/deliver/batch_times.h"

namespace penstock::analyze {

// One batch of any trainer.
struct TimedBatch {
  std::uint64_t number = 0;
  double wait_s = 0;  // for data
  double step_s = 0;  // with it
};

// Batches that came much later than others.
struct Outliers {
  std::size_t count = 0;
  double threshold_s = 0;  // a wait above this is one
  double mean_s = 0;
  std::size_t period = 0;    // every so many batches; 0 if there is no rhythm
  double regular_share = 0;  // of them that keep to the period
};

struct Timing {
  std::size_t num_batches = 0;
  double total_s = 0;
  double step_s = 0;  // the median
  double wait_s = 0;  // all waiting
  double longest_wait_s = 0;
  double median_wait_s = 0;
  // Share of the time that the accelerator computes, as MLPerf Storage defines it: compute time of
  // all batches over the time of the run.
  double utilisation = 0;
  Outliers outliers;
  std::string cause;  // a sentence
};

// The first batch does not count: it always waits. Empty if there are fewer than 3.
Timing analyze_timing(const std::vector<TimedBatch>& batches);

std::vector<TimedBatch> timed_batches(const std::vector<deliver::BatchTime>& times);

// Lines "batch_results: N, MS" anywhere in a log: batch N took MS milliseconds in all. What is
// above the usual is taken for waiting. Fails with kCorrupt if there are no such lines or one makes
// no sense, naming it.
Result<std::vector<TimedBatch>> parse_batch_log(std::string_view log);

// The upper one if there are two; 0 of nothing.
double median(std::vector<double> values);

// For a person, in at most 80 columns.
std::string print(const Timing& timing);

}  // namespace penstock::analyze
