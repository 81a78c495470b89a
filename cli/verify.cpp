// penstock verify: reads and decodes everything, and says what is bad.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "commands.h"
#include "penstock/deliver/check.h"
#include "penstock/deliver/errors.h"
#include "penstock/deliver/manifest.h"
#include "penstock/deliver/run.h"
#include "penstock/storage/catalog.h"
#include "source_argument.h"

namespace penstock::cli {
namespace {

using Clock = std::chrono::steady_clock;
using deliver::ManifestLine;

struct VerifyOptions {
  std::vector<std::string> source;
  std::string manifest;  // to check again
  std::string output;    // to list what is bad in
  int threads = 0;
  std::uint64_t limit = 20;
  bool is_json = false;
};

struct Report {
  std::uint64_t num_samples = 0;
  std::uint64_t num_checked = 0;
  std::vector<ManifestLine> bad;
  double elapsed_s = 0;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// One line that is written over and over, if it takes longer than a second and somebody looks.
class ProgressLine {
 public:
  void show(const Report& report) {
    const double elapsed_s = seconds_since(began_);
    if (!is_terminal_ || elapsed_s < 1 || elapsed_s - shown_s_ < 0.2) return;
    shown_s_ = elapsed_s;
    fmt::print(stderr, "\r\x1b[K{} of {} samples, {:.0f}/s, {} bad", report.num_checked,
               report.num_samples, static_cast<double>(report.num_checked) / elapsed_s,
               report.bad.size());
    std::fflush(stderr);
  }
  ~ProgressLine() {
    if (shown_s_ > 0) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  const bool is_terminal_ = isatty(STDERR_FILENO) != 0;
  const Clock::time_point began_ = Clock::now();
  double shown_s_ = 0;
};

Result<std::shared_ptr<const pipeline::Plan>> verify_plan(const VerifyOptions& options) {
  pipeline::Spec spec;
  spec.source = parse_source_argument(options.source);
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

Result<Report> check_everything(const std::shared_ptr<const pipeline::Plan>& plan,
                                const VerifyOptions& options) {
  Report report;
  report.num_samples = plan->source().num_samples();
  for (const auto& damage : plan->source().damages()) {
    report.bad.push_back(deliver::manifest_line(damage));
  }
  PENSTOCK_TRY_ASSIGN(
      const auto run,
      deliver::Run::start(plan, {.threads = options.threads,
                                 .errors = {.on_error = deliver::OnError::kSkip,
                                            .max_count = report.num_samples + report.bad.size()}}));
  ProgressLine progress;
  while (true) {
    PENSTOCK_TRY_ASSIGN(const auto batch, run->next());
    if (batch == nullptr) return report;
    for (const auto& bad : batch->bad) report.bad.push_back(deliver::manifest_line(*plan, bad));
    report.num_checked += batch->count + batch->bad.size();
    progress.show(report);
  }
}

// Samples by where they come from, as a manifest names them.
std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> samples_by_origin(
    const source::Source& source) {
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> samples;
  for (std::uint64_t sample = 0; sample < source.num_samples(); ++sample) {
    source::Origin origin = source.origin(sample);
    samples.emplace(std::pair(std::move(origin.source), origin.record), sample);
  }
  return samples;
}

Result<Report> check_listed(const std::shared_ptr<const pipeline::Plan>& plan,
                            const VerifyOptions& options) {
  PENSTOCK_TRY_ASSIGN(const std::vector<ManifestLine> lines,
                      deliver::read_manifest(options.manifest));
  const auto samples = samples_by_origin(plan->source());
  Report report;
  report.num_samples = lines.size();
  ProgressLine progress;
  deliver::SampleChecker checker(*plan);
  for (const ManifestLine& line : lines) {
    ++report.num_checked;
    progress.show(report);
    if (!line.record) continue;
    const auto found = samples.find({line.source, *line.record});
    if (found == samples.end()) {
      ManifestLine gone = line;
      gone.message = "no such record in the source any more";
      report.bad.push_back(std::move(gone));
      continue;
    }
    const auto bad = checker.check(found->second);
    if (bad) report.bad.push_back(deliver::manifest_line(*plan, *bad));
  }
  for (const auto& damage : plan->source().damages()) {
    const ManifestLine now = deliver::manifest_line(damage);
    if (std::ranges::find(lines, now) != lines.end()) report.bad.push_back(now);
  }
  return report;
}

// At once, and in place of what was there: a manifest of a run is added to, this one is complete.
Status write_manifest(const std::string& path, const Report& report) {
  std::string text;
  for (const ManifestLine& line : report.bad) text += deliver::print_manifest_line(line) + '\n';
  PENSTOCK_TRY_ASSIGN(const auto storage, storage::make_storage(path));
  return storage->write(path, std::as_bytes(std::span(text))).at(path);
}

void print_json(const Report& report) {
  nlohmann::ordered_json out = {
      {"checked", report.num_checked}, {"bad", report.bad.size()}, {"seconds", report.elapsed_s}};
  out["samples"] = nlohmann::ordered_json::array();
  for (const ManifestLine& line : report.bad) {
    out["samples"].push_back(nlohmann::ordered_json::parse(deliver::print_manifest_line(line)));
  }
  fmt::print("{}\n", out.dump(2));
}

void print_report(const VerifyOptions& options, const Report& report) {
  const std::size_t num_shown = std::min<std::size_t>(report.bad.size(), options.limit);
  for (std::size_t i = 0; i < num_shown; ++i) {
    const ManifestLine& line = report.bad[i];
    fmt::print("{}", line.source);
    if (line.record) fmt::print(": record {}", *line.record);
    if (!line.key.empty()) fmt::print(": {}", line.key);
    fmt::print(": {} ({})\n", line.message, line.stage);
  }
  if (num_shown < report.bad.size()) {
    fmt::print("... and {} more; --limit shows more, --output lists all\n",
               report.bad.size() - num_shown);
  }
  fmt::print("{}{} checked in {:.1f} s ({:.0f}/s): {}\n", report.bad.empty() ? "" : "\n",
             report.num_checked, report.elapsed_s,
             static_cast<double>(report.num_checked) / report.elapsed_s,
             report.bad.empty() ? "all is well" : fmt::format("{} bad", report.bad.size()));
}

Status verify(const VerifyOptions& options) {
  const auto began = Clock::now();
  PENSTOCK_TRY_ASSIGN(const auto plan, verify_plan(options));
  PENSTOCK_TRY_ASSIGN(Report report, options.manifest.empty() ? check_everything(plan, options)
                                                              : check_listed(plan, options));
  report.elapsed_s = seconds_since(began);
  if (!options.output.empty()) PENSTOCK_TRY(write_manifest(options.output, report));
  if (options.is_json) {
    print_json(report);
  } else {
    print_report(options, report);
  }
  if (report.bad.empty()) return {};
  return corrupt(report.bad.size(), " of ", report.num_checked, " are bad");
}

}  // namespace

Action define_verify(CLI::App& app) {
  auto options = std::make_shared<VerifyOptions>();
  app.add_option("source", options->source, kSourceHelp)->required();
  auto* manifest = app.add_option("--manifest", options->manifest,
                                  "Check only what this manifest of a run lists, once more");
  app.add_option("--output", options->output, "Write a manifest of what is bad")
      ->excludes(manifest);
  app.add_option("--threads", options->threads, "Threads that decode; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--limit", options->limit, "Bad samples to show")->capture_default_str();
  app.add_flag("--json", options->is_json, "Print JSON");
  app.footer(
      "Reads and decodes every sample. The exit code is 0 if all is well, 1 if something is bad.\n"
      "Example: penstock verify 'shards/train-{000..009}.tar' --output bad.jsonl");
  return [options] { return verify(*options); };
}

}  // namespace penstock::cli
