// Measuring the rungs of a ladder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measure.h"
#include "penstock/analyze/ladder.h"

namespace penstock::cli {

struct LadderTask {
  Job job;                              // as configured
  std::string transform;                // of the job
  std::uint64_t copied_samples = 500;   // of copies in other formats
  std::uint64_t encoded_samples = 100;  // of copies in other codecs and sizes
  std::function<void(const std::string& rung)> progress;
};

struct LadderResult {
  analyze::Ladder ladder;
  std::optional<analyze::Stalls> stalls;  // nullopt if the source has no files to read cold
  int cores = 0;
  std::vector<std::string> notes;  // what was left out, and why
};

// The thread counts of the sweep: 1, 2, 4, ... up to four times the cores.
std::vector<int> thread_counts(int cores);

Result<LadderResult> climb(const LadderTask& task);

}  // namespace penstock::cli
