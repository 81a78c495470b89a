// penstock bench: how fast a source is delivered, and where the time goes.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "job_options.h"
#include "measure.h"
#include "output.h"
#include "penstock/analyze/chart.h"
#include "penstock/analyze/text.h"
#include "penstock/base/fields.h"
#include "penstock/deliver/machine.h"
#include "source_argument.h"

namespace penstock::cli {
namespace {

struct BenchOptions {
  std::vector<std::string> source;
  std::string transform = "train";
  int threads = 0;
  int prefetch = 2;
  std::uint64_t batch = 64;
  double seconds = 5;
  std::string entry_points = "learn";
  std::string html;
  bool is_json = false;
};

Result<Measurement> measure_source(const BenchOptions& options) {
  Job job{.source = parse_source_argument(options.source),
          .inputs = {.progress = terminal_progress()},
          .ops = transform_ops(options.transform),
          .is_shuffled = options.transform == "train",
          .batch = options.batch,
          .run = {.threads = options.threads, .prefetch = options.prefetch},
          .seconds = options.seconds};
  if (!field_detail::parse_value(options.entry_points, job.run.entry_points)) {
    return invalid_argument("entry-points is ", options.entry_points,
                            ", expected learn, use or off");
  }
  return measure(job);
}

double read_mb_per_s(const deliver::RunStats& stats) {
  return static_cast<double>(stats.now.read.bytes) * 1e-6 / stats.now.time_s;
}

double percent_found(const deliver::RunStats& stats) {
  return 100 * static_cast<double>(stats.entry_points.found) /
         static_cast<double>(std::max<std::uint64_t>(1, stats.now.decode.samples));
}

void print_json(const BenchOptions& options, const Measurement& result) {
  nlohmann::ordered_json out = {{"source", options.source},
                                {"transform", options.transform},
                                {"threads", result.stats.now.decode.threads},
                                {"prefetch", options.prefetch},
                                {"batch", options.batch},
                                {"images_per_s", result.images_per_s()},
                                {"first_batch_s", result.first_batch_s},
                                {"read_bytes", result.stats.now.read.bytes},
                                {"entry_points",
                                 {{"found", result.stats.entry_points.found},
                                  {"learnt", result.stats.entry_points.learnt},
                                  {"extended", result.stats.entry_points.extended},
                                  {"stored_bytes", result.stats.entry_points.stored_bytes}}},
                                {"peak_memory_bytes", deliver::peak_memory_bytes()},
                                {"limit", result.verdict.limit},
                                {"verdict", result.verdict.sentence}};
  for (const auto* stage : result.stats.now.stages()) {
    out["stages"][stage->name] = {{"threads", stage->threads},
                                  {"busy_s", stage->busy_s},
                                  {"wait_input_s", stage->wait_input_s},
                                  {"wait_output_s", stage->wait_output_s}};
  }
  fmt::print("{}\n", out.dump(2));
}

// A part of the time of all threads of a kind.
struct Share {
  std::string name;
  double percent = 0;
  bool is_wait = false;
};

std::vector<Share> shares(const deliver::Snapshot& now) {
  const double readers_s = now.time_s * std::max(1, now.read.threads);
  const double workers_s = now.time_s * std::max(1, now.decode.threads);
  return {{"readers: read", 100 * now.read.busy_s / readers_s},
          {"readers: wait for room", 100 * now.read.wait_output_s / readers_s, true},
          {"workers: decode", 100 * now.decode.busy_s / workers_s},
          {"workers: transform", 100 * now.transform.busy_s / workers_s},
          {"workers: wait for bytes", 100 * now.decode.wait_input_s / workers_s, true},
          {"workers: wait for a slot", 100 * now.transform.wait_output_s / workers_s, true}};
}

void print_table(const BenchOptions& options, const Measurement& result) {
  const deliver::RunStats& stats = result.stats;
  fmt::print("{} transform, batches of {}, {} threads\n\n", options.transform, options.batch,
             stats.now.decode.threads);
  fmt::print("  images/s              {:>10.0f}\n", result.images_per_s());
  fmt::print("  read                  {:>10.1f} MB/s\n", read_mb_per_s(stats));
  fmt::print("  first batch after     {:>10.3f} s\n", result.first_batch_s);
  fmt::print("  peak memory           {:>10.1f} MB\n",
             static_cast<double>(deliver::peak_memory_bytes()) * 1e-6);
  fmt::print("  entry points found    {:>10.1f} % of samples\n\n", percent_found(stats));
  fmt::print("Where the threads' time goes:\n");
  for (const Share& share : shares(stats.now)) {
    fmt::print("  {:<26} {:>5.1f} %\n", share.name, share.percent);
  }
  fmt::print("\n{}\n", analyze::wrapped(result.verdict.sentence, 80));
}

analyze::Report make_report(const BenchOptions& options, const Measurement& result) {
  const deliver::RunStats& stats = result.stats;
  std::vector<analyze::Bar> bars;
  for (const Share& share : shares(stats.now)) {
    bars.push_back({share.name,
                    share.percent,
                    fmt::format("{:.1f} %", share.percent),
                    share.is_wait ? analyze::Tone::kMuted : analyze::Tone::kLoad,
                    {}});
  }
  return {
      .title = fmt::format("Speed of {}", options.source[0]),
      .summary = fmt::format("{} transform, batches of {}, {} threads, prefetch {}. {}.",
                             options.transform, options.batch, stats.now.decode.threads,
                             options.prefetch, result.verdict.sentence),
      .headlines = {{"images/s", fmt::format("{:.0f}", result.images_per_s()),
                     fmt::format("over {:.1f} s", result.elapsed_s)},
                    {"read", fmt::format("{:.1f} MB/s", read_mb_per_s(stats)), "from storage"},
                    {"first batch", fmt::format("{:.3f} s", result.first_batch_s),
                     "from opening the source"},
                    {"entry points", fmt::format("{:.1f} %", percent_found(stats)),
                     "of samples had them"}},
      .sections = {{.title = "Where the threads' time goes",
                    .text = "Of the time of all threads of a kind. Waiting workers want bytes or "
                            "room for a batch.",
                    .chart = analyze::bar_chart(bars, 100),
                    .table = {}}}};
}

Status bench(const BenchOptions& options) {
  std::optional<StatusLine> line(options.seconds < 1 ? 1 : 0);
  line->show("measuring");
  PENSTOCK_TRY_ASSIGN(const Measurement result, measure_source(options));
  line.reset();
  if (options.is_json) {
    print_json(options, result);
  } else {
    print_table(options, result);
  }
  return write_page(options.html, make_report(options, result));
}

}  // namespace

Action define_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  app.add_option("source", options->source, kSourceHelp)->required();
  add_transform_option(app, options->transform);
  add_threads_option(app, options->threads);
  add_batch_option(app, options->batch);
  add_seconds_option(app, options->seconds);
  app.add_option("--entry-points", options->entry_points,
                 "learn: use those that are kept and add to them; use: only use them; off: neither")
      ->check(CLI::IsMember({"learn", "use", "off"}))
      ->capture_default_str();
  add_prefetch_option(app, options->prefetch);
  app.add_option("--html", options->html, kHtmlHelp);
  app.add_flag("--json", options->is_json, "Print JSON");
  app.footer("Example: penstock bench photos/ --transform train --threads 2");
  return [options] { return bench(*options); };
}

}  // namespace penstock::cli
