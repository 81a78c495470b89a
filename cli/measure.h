// Measuring how fast a source is delivered, for the commands that do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "penstock/analyze/timing.h"
#include "penstock/analyze/verdict.h"
#include "penstock/base/fields.h"
#include "penstock/base/result.h"
#include "penstock/deliver/run.h"
#include "penstock/pipeline/sources.h"
#include "penstock/pipeline/spec.h"

namespace penstock::cli {

inline const std::vector<std::string> kTransforms = {"train", "eval", "resize", "none"};

// What is delivered, and to whom.
struct Job {
  pipeline::SourceSpec source;
  pipeline::SourceInputs inputs;
  std::vector<OptionText> ops;  // on images
  bool is_shuffled = true;
  std::uint64_t batch = 64;
  deliver::RunOptions run;
  double step_ms = 0;  // a trainer that sleeps so long for each batch; 0: none
  double seconds = 5;  // how long to measure
  // Delivered before that, untrained, unless it takes ten times as long as to measure.
  std::uint64_t warm_up_samples = 0;
};

struct Measurement {
  std::uint64_t samples = 0;     // in the timed part
  double elapsed_s = 0;          // of the timed part
  double first_batch_s = 0;      // from opening the source to the first batch
  double tensor_bytes = 0;       // of one sample, as delivered
  std::vector<double> batch_ms;  // from batch to batch, in the timed part
  deliver::RunStats stats;       // of the whole run
  analyze::Verdict verdict;      // on the timed part
  analyze::Timing timing;        // of the last batches

  double images_per_s() const { return static_cast<double>(samples) / elapsed_s; }
};

// Of one of kTransforms.
std::vector<OptionText> transform_ops(const std::string& transform);

// Images and, if there are any, labels of the job's source; without end.
Result<pipeline::Spec> job_spec(const Job& job);

// Takes the next batch and trains with it, which is to sleep. How many samples it had; 0 after the
// last one. kCancelled if the command is interrupted.
Result<std::uint64_t> take_batch(deliver::Run& run, const Job& job);

Result<Measurement> measure(const Job& job);

}  // namespace penstock::cli
