// penstock bench: how fast a source is delivered, and where the time goes.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "measure.h"
#include "output.h"
#include "penstock/analyze/chart.h"
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
  return static_cast<double>(stats.read_bytes) * 1e-6 / stats.elapsed_s;
}

double percent_found(const deliver::RunStats& stats) {
  return 100 * static_cast<double>(stats.entry_points.found) /
         static_cast<double>(std::max<std::uint64_t>(1, stats.samples));
}

void print_json(const BenchOptions& options, const Measurement& result) {
  nlohmann::ordered_json out = {{"source", options.source},
                                {"transform", options.transform},
                                {"threads", result.stats.threads},
                                {"prefetch", options.prefetch},
                                {"batch", options.batch},
                                {"images_per_s", result.images_per_s()},
                                {"first_batch_s", result.first_batch_s},
                                {"read_bytes", result.stats.read_bytes},
                                {"entry_points",
                                 {{"found", result.stats.entry_points.found},
                                  {"learnt", result.stats.entry_points.learnt},
                                  {"extended", result.stats.entry_points.extended},
                                  {"stored_bytes", result.stats.entry_points.stored_bytes}}},
                                {"peak_memory_bytes", deliver::peak_memory_bytes()}};
  for (const auto& stage : result.stats.reader_stages) out["reader_s"][stage.name] = stage.busy_s;
  for (const auto& stage : result.stats.worker_stages) out["worker_s"][stage.name] = stage.busy_s;
  fmt::print("{}\n", out.dump(2));
}

void print_stages(const char* who, const std::vector<deliver::StageStats>& stages, double total_s) {
  for (const auto& stage : stages) {
    fmt::print("  {:<10} {:<10} {:>5.1f} %\n", who, stage.name, 100 * stage.busy_s / total_s);
  }
}

void print_table(const BenchOptions& options, const Measurement& result) {
  const deliver::RunStats& stats = result.stats;
  fmt::print("{} transform, batches of {}, {} threads\n\n", options.transform, options.batch,
             stats.threads);
  fmt::print("  images/s              {:>10.0f}\n", result.images_per_s());
  fmt::print("  read                  {:>10.1f} MB/s\n", read_mb_per_s(stats));
  fmt::print("  first batch after     {:>10.3f} s\n", result.first_batch_s);
  fmt::print("  peak memory           {:>10.1f} MB\n",
             static_cast<double>(deliver::peak_memory_bytes()) * 1e-6);
  fmt::print("  entry points found    {:>10.1f} % of samples\n\n", percent_found(stats));
  fmt::print("Where the threads' time goes:\n");
  print_stages("reader", stats.reader_stages, stats.elapsed_s);
  print_stages("workers", stats.worker_stages, stats.elapsed_s * stats.threads);
}

void add_stages(std::vector<analyze::Bar>& bars, const char* who,
                const std::vector<deliver::StageStats>& stages, double total_s) {
  for (const auto& stage : stages) {
    const double percent = 100 * stage.busy_s / total_s;
    const bool is_wait = stage.name == "wait";
    bars.push_back({fmt::format("{}: {}", who, stage.name),
                    percent,
                    fmt::format("{:.1f} %", percent),
                    is_wait ? analyze::Tone::kMuted : analyze::Tone::kLoad,
                    {}});
  }
}

analyze::Report make_report(const BenchOptions& options, const Measurement& result) {
  const deliver::RunStats& stats = result.stats;
  std::vector<analyze::Bar> bars;
  add_stages(bars, "workers", stats.worker_stages, stats.elapsed_s * stats.threads);
  add_stages(bars, "reader", stats.reader_stages, stats.elapsed_s);
  return {
      .title = fmt::format("Speed of {}", options.source[0]),
      .summary = fmt::format("{} transform, batches of {}, {} threads, prefetch {}.",
                             options.transform, options.batch, stats.threads, options.prefetch),
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
  PENSTOCK_TRY_ASSIGN(const Measurement result, measure_source(options));
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
  app.add_option("--transform", options->transform, kTransformHelp)
      ->check(CLI::IsMember(kTransforms))
      ->capture_default_str();
  app.add_option("--threads", options->threads, "Threads that decode; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--batch", options->batch, "Samples in a batch")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--seconds", options->seconds, "How long to measure")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app.add_option("--entry-points", options->entry_points,
                 "learn: use those that are kept and add to them; use: only use them; off: neither")
      ->check(CLI::IsMember({"learn", "use", "off"}))
      ->capture_default_str();
  app.add_option("--prefetch", options->prefetch, "Batches kept ready beside the one being filled")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--html", options->html, kHtmlHelp);
  app.add_flag("--json", options->is_json, "Print JSON");
  app.footer("Example: penstock bench photos/ --transform train --threads 2");
  return [options] { return bench(*options); };
}

}  // namespace penstock::cli
