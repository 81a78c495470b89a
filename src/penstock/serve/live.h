// The figures of the page, as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "penstock/analyze/verdict.h"
#include "penstock/deliver/run.h"
#include "penstock/serve/thumbnails.h"

namespace penstock::serve {

// What a run tells of itself.
struct RunFigures {
  deliver::RunStats stats;
  analyze::Verdict verdict;  // of the last seconds
  std::vector<deliver::Snapshot> history;
  std::vector<deliver::BatchTime> batches;
};
RunFigures look_at(const deliver::Run& run);

// What the page is told.
struct LiveView {
  std::uint64_t run = 0;                // counts runs; 0: none began
  std::optional<double> idle_s;         // since a batch was handed over
  const RunFigures* figures = nullptr;  // null: no run began
  const Thumbnails& samples;
  std::uint64_t samples_version = 0;  // other pictures have another one
};
std::string print_live(const LiveView& view);

}  // namespace penstock::serve
