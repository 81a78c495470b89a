// A run that delivers nothing and finds what is bad.
#include "check_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "penstock/deliver/errors.h"
#include "source_argument.h"

namespace penstock::cli {

ProgressLine::ProgressLine() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (shown_s_ > 0) fmt::print(stderr, "\r\x1b[K");
}

void ProgressLine::show(const CheckReport& report) {
  const double elapsed_s = seconds_since(began_);
  if (!is_terminal_ || elapsed_s < 1 || elapsed_s - shown_s_ < 0.2) return;
  shown_s_ = elapsed_s;
  fmt::print(stderr, "\r\x1b[K{} of {} samples, {:.0f}/s, {} bad", report.num_checked,
             report.num_samples, static_cast<double>(report.num_checked) / elapsed_s,
             report.bad.size());
  std::fflush(stderr);
}

Result<std::shared_ptr<const pipeline::Plan>> check_plan(const std::vector<std::string>& source) {
  pipeline::Spec spec;
  spec.source = parse_source_argument(source);
  {
    PENSTOCK_TRY_ASSIGN(const pipeline::OpenSource open, open_source_argument(spec.source));
    for (const auto& field : open.source->fields()) {
      spec.fields.push_back({field.name, {"check", {}}, {}});
    }
  }
  spec.shard = pipeline::RankSpec{};
  spec.batch = {256, "keep"};
  PENSTOCK_TRY_ASSIGN(auto plan,
                      pipeline::make_plan(spec, {.source = {.progress = terminal_progress()},
                                                 .tolerates_damage = true}));
  return std::shared_ptr<const pipeline::Plan>(std::move(plan));
}

Result<CheckReport> check_everything(const std::shared_ptr<const pipeline::Plan>& plan,
                                     const deliver::RunOptions& options) {
  const auto began = Clock::now();
  CheckReport report;
  report.num_samples = plan->source().num_samples();
  for (const auto& damage : plan->source().damages()) {
    report.bad.push_back(deliver::manifest_line(damage));
  }
  deliver::RunOptions tolerant = options;
  tolerant.errors = {.on_error = deliver::OnError::kSkip,
                     .max_count = report.num_samples + report.bad.size()};
  PENSTOCK_TRY_ASSIGN(const auto run, deliver::Run::start(plan, tolerant));
  ProgressLine progress;
  while (true) {
    PENSTOCK_TRY_ASSIGN(const auto batch, run->next());
    if (batch == nullptr) break;
    for (const auto& bad : batch->bad) report.bad.push_back(deliver::manifest_line(*plan, bad));
    report.num_checked += batch->count + batch->bad.size();
    progress.show(report);
  }
  report.entry_points = run->stats().entry_points;
  report.elapsed_s = seconds_since(began);
  return report;
}

void print_bad(const CheckReport& report, std::uint64_t limit, const std::string& advice) {
  const std::size_t num_shown = std::min<std::size_t>(report.bad.size(), limit);
  for (std::size_t i = 0; i < num_shown; ++i) {
    const deliver::ManifestLine& line = report.bad[i];
    fmt::print("{}", line.source);
    if (line.record) fmt::print(": record {}", *line.record);
    if (!line.key.empty()) fmt::print(": {}", line.key);
    fmt::print(": {} ({})\n", line.message, line.stage);
  }
  if (num_shown < report.bad.size()) {
    fmt::print("... and {} more; {}\n", report.bad.size() - num_shown, advice);
  }
  if (!report.bad.empty()) fmt::print("\n");
}

}  // namespace penstock::cli
