// penstock verify: reads and decodes everything, and says what is bad.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "check_run.h"
#include "commands.h"
#include "job_options.h"
#include "penstock/deliver/check.h"
#include "penstock/deliver/errors.h"
#include "penstock/deliver/manifest.h"
#include "penstock/storage/catalog.h"
#include "source_argument.h"

namespace penstock::cli {
namespace {

using deliver::ManifestLine;

struct VerifyOptions {
  std::vector<std::string> source;
  std::string manifest;  // to check again
  std::string output;    // to list what is bad in
  int threads = 0;
  std::uint64_t limit = 20;
  bool is_json = false;
};

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

Result<CheckReport> check_listed(const std::shared_ptr<const pipeline::Plan>& plan,
                                 const VerifyOptions& options) {
  PENSTOCK_TRY_ASSIGN(const std::vector<ManifestLine> lines,
                      deliver::read_manifest(options.manifest));
  const auto samples = samples_by_origin(plan->source());
  CheckReport report;
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
Status write_manifest(const std::string& path, const CheckReport& report) {
  std::string text;
  for (const ManifestLine& line : report.bad) text += deliver::print_manifest_line(line) + '\n';
  return storage::make_storage()->write(path, std::as_bytes(std::span(text))).at(path);
}

void print_json(const CheckReport& report) {
  nlohmann::ordered_json out = {
      {"checked", report.num_checked}, {"bad", report.bad.size()}, {"seconds", report.elapsed_s}};
  out["samples"] = nlohmann::ordered_json::array();
  for (const ManifestLine& line : report.bad) {
    out["samples"].push_back(nlohmann::ordered_json::parse(deliver::print_manifest_line(line)));
  }
  fmt::print("{}\n", out.dump(2));
}

void print_report(const VerifyOptions& options, const CheckReport& report) {
  print_bad(report, options.limit, "--limit shows more, --output lists all");
  fmt::print("{} checked in {:.1f} s ({:.0f}/s): {}\n", report.num_checked, report.elapsed_s,
             static_cast<double>(report.num_checked) / report.elapsed_s,
             report.bad.empty() ? "all is well" : fmt::format("{} bad", report.bad.size()));
}

Status verify(const VerifyOptions& options) {
  const auto began = Clock::now();
  PENSTOCK_TRY_ASSIGN(const auto plan, check_plan(options.source));
  // Without entry points: every image is decoded from its start.
  const deliver::RunOptions run_options{.threads = options.threads,
                                        .entry_points = deliver::EntryPointUse::kOff};
  PENSTOCK_TRY_ASSIGN(CheckReport report, options.manifest.empty()
                                              ? check_everything(plan, run_options)
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
  add_threads_option(app, options->threads);
  app.add_option("--limit", options->limit, "Bad samples to show")->capture_default_str();
  app.add_flag("--json", options->is_json, "Print JSON");
  app.footer(
      "Reads and decodes every sample. The exit code is 0 if all is well, 1 if something is bad.\n"
      "Example: penstock verify 'shards/train-{000..009}.tar' --output bad.jsonl");
  return [options] { return verify(*options); };
}

}  // namespace penstock::cli
