// penstock explain: what limits a source, or a trainer by its log.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "job_options.h"
#include "measure.h"
#include "output.h"
#include "source_argument.h"

namespace penstock::cli {
namespace {

struct ExplainOptions {
  std::vector<std::string> source;
  std::string log;
  std::string transform = "train";
  int threads = 0;
  int prefetch = 2;
  std::uint64_t batch = 64;
  double seconds = 5;
  double step_ms = 0;
  bool is_json = false;
};

nlohmann::ordered_json to_json(const analyze::Timing& timing) {
  return {{"batches", timing.num_batches},
          {"total_s", timing.total_s},
          {"step_s", timing.step_s},
          {"wait_s", timing.wait_s},
          {"median_wait_s", timing.median_wait_s},
          {"longest_wait_s", timing.longest_wait_s},
          {"utilisation", timing.utilisation},
          {"long_waits", timing.outliers.count},
          {"period", timing.outliers.period},
          {"cause", timing.cause}};
}

nlohmann::ordered_json to_json(const analyze::Verdict& verdict) {
  nlohmann::ordered_json out = {{"sentence", verdict.sentence},
                                {"limit", verdict.limit},
                                {"samples_per_s", verdict.rate},
                                {"possible_per_s", verdict.possible}};
  for (const analyze::Link& link : verdict.links) {
    out["links"][link.name] = {{"could_pass_per_s", link.capacity}, {"used", link.busy}};
  }
  for (const analyze::Change& change : verdict.changes) out["changes"][change.what] = change.rate;
  out["unknown"] = verdict.unknown;
  return out;
}

Status explain_log(const ExplainOptions& options) {
  std::ifstream file(options.log, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return not_found("no log at ", options.log);
  const auto batches = analyze::parse_batch_log(text);
  if (!batches.ok()) return batches.status().at(options.log);
  const analyze::Timing timing = analyze::analyze_timing(*batches);
  if (options.is_json) {
    fmt::print("{}\n", to_json(timing).dump(2));
  } else {
    fmt::print("{}\n\n{}", options.log, analyze::print(timing));
  }
  return {};
}

Status explain_source(const ExplainOptions& options) {
  const Job job{.source = parse_source_argument(options.source),
                .inputs = {.progress = terminal_progress()},
                .ops = transform_ops(options.transform),
                .is_shuffled = options.transform == "train",
                .batch = options.batch,
                .run = {.threads = options.threads, .prefetch = options.prefetch},
                .step_ms = options.step_ms,
                .seconds = options.seconds};
  PENSTOCK_TRY_ASSIGN(const Measurement result, measure(job));
  if (options.is_json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"verdict", to_json(result.verdict)},
                                              {"batches", to_json(result.timing)}}
                           .dump(2));
    return {};
  }
  fmt::print("{}", analyze::print(result.verdict));
  if (options.step_ms > 0) fmt::print("\nBatch by batch:\n{}", analyze::print(result.timing));
  return {};
}

Status explain(const ExplainOptions& options) {
  if (options.log.empty() == options.source.empty()) {
    return invalid_argument("expected a source, or --log FILE");
  }
  return options.log.empty() ? explain_source(options) : explain_log(options);
}

}  // namespace

Action define_explain(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  app.add_option("source", options->source, kSourceHelp);
  app.add_option("--log", options->log,
                 "A trainer's log with lines \"batch_results: N, MS\": batch N took MS in all");
  add_transform_option(app, options->transform);
  app.add_option("--step-ms", options->step_ms, "A trainer that takes so long for each batch")
      ->check(CLI::Range(0.0, 1e6));
  add_threads_option(app, options->threads);
  add_prefetch_option(app, options->prefetch);
  add_batch_option(app, options->batch);
  add_seconds_option(app, options->seconds);
  app.add_flag("--json", options->is_json, "Print JSON");
  app.footer(
      "Example: penstock explain photos/ --step-ms 50\n"
      "         penstock explain --log train.log");
  return [options] { return explain(*options); };
}

}  // namespace penstock::cli
