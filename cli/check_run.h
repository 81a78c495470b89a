// Reading and decoding every sample of a source, for the commands that do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "clock.h"
#include "penstock/base/result.h"
#include "penstock/deliver/manifest.h"
#include "penstock/deliver/run.h"
#include "penstock/pipeline/plan.h"

namespace penstock::cli {

struct CheckReport {
  std::uint64_t num_samples = 0;
  std::uint64_t num_checked = 0;
  std::vector<deliver::ManifestLine> bad;  // with what is broken in the source itself
  double elapsed_s = 0;
  deliver::EntryPointStats entry_points;
};

// One line that is written over and over, if it takes longer than a second and somebody looks.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const CheckReport& report);

 private:
  const bool is_terminal_;
  const Clock::time_point began_ = Clock::now();
  double shown_s_ = 0;
};

// Checks every field of every sample of SOURCE.
Result<std::shared_ptr<const pipeline::Plan>> check_plan(const std::vector<std::string>& source);

Result<CheckReport> check_everything(const std::shared_ptr<const pipeline::Plan>& plan,
                                     const deliver::RunOptions& options);

// At most `limit` of what is bad, a line each, and how many more there are; then an empty line.
// `advice` says how to see them.
void print_bad(const CheckReport& report, std::uint64_t limit, const std::string& advice);

}  // namespace penstock::cli
