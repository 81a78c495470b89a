// penstock bench: how fast a source is delivered, and where the time goes.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "penstock/base/fields.h"
#include "penstock/base/units.h"
#include "penstock/deliver/machine.h"
#include "penstock/deliver/run.h"
#include "source_argument.h"

namespace penstock::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct BenchOptions {
  std::vector<std::string> source;
  std::string transform = "train";
  int threads = 0;
  std::uint64_t batch = 64;
  double seconds = 5;
  std::string entry_points = "learn";
  bool is_json = false;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The first of the known names that the source has; empty if none.
std::string find_field(const source::Source& source,
                       std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (const auto& field : source.fields()) {
      if (field.name == name) return field.name;
    }
  }
  return {};
}

std::vector<OptionText> transform_ops(const std::string& transform) {
  if (transform == "train") {
    return {{"random_resized_crop", {{"size", "224"}}}, {"random_flip", {}}, {"normalize", {}}};
  }
  if (transform == "eval") {
    return {{"resize", {{"size", "256"}}}, {"center_crop", {{"size", "224"}}}, {"normalize", {}}};
  }
  return {{"resize", {{"size", "224,224"}}}};
}

Result<pipeline::Spec> bench_spec(const BenchOptions& options) {
  pipeline::Spec spec;
  spec.source = parse_source_argument(options.source);
  PENSTOCK_TRY_ASSIGN(const pipeline::OpenSource open, open_source_argument(spec.source));
  const std::string image =
      find_field(*open.source, {"image", "jpg", "jpeg", "png", "webp", "image/encoded"});
  if (image.empty()) {
    return invalid_argument("no field image, jpg, jpeg, png, webp or image/encoded in ",
                            options.source[0]);
  }
  spec.fields.push_back({image, {"image", {}}, transform_ops(options.transform)});
  const std::string label = find_field(*open.source, {"label", "cls", "image/class/label"});
  if (!label.empty()) spec.fields.push_back({label, {"label", {}}, {}});
  if (options.transform == "train") spec.shuffle = pipeline::ShuffleSpec{};
  spec.batch = {options.batch, "wrap"};
  spec.epochs = std::nullopt;
  return spec;
}

struct BenchResult {
  std::uint64_t samples = 0;  // in the timed part
  double elapsed_s = 0;       // of the timed part
  double first_batch_s = 0;   // from opening the source to the first batch
  deliver::RunStats stats;    // of the whole run

  double images_per_s() const { return static_cast<double>(samples) / elapsed_s; }
};

Result<BenchResult> measure(const BenchOptions& options) {
  const auto began = Clock::now();
  PENSTOCK_TRY_ASSIGN(const pipeline::Spec spec, bench_spec(options));
  PENSTOCK_TRY_ASSIGN(auto plan,
                      pipeline::make_plan(spec, {.source = {.progress = terminal_progress()}}));
  deliver::RunOptions run_options{.threads = options.threads};
  if (!field_detail::parse_value(options.entry_points, run_options.entry_points)) {
    return invalid_argument("entry-points is ", options.entry_points,
                            ", expected learn, use or off");
  }
  PENSTOCK_TRY_ASSIGN(const auto run, deliver::Run::start(std::move(plan), run_options));
  PENSTOCK_TRY(run->next());
  BenchResult result;
  result.first_batch_s = seconds_since(began);

  // A fifth of the time to warm up, so that start-up does not count.
  const auto warming = Clock::now();
  while (seconds_since(warming) < options.seconds / 5) PENSTOCK_TRY(run->next());
  const auto timing = Clock::now();
  while (result.elapsed_s < options.seconds) {
    PENSTOCK_TRY_ASSIGN(const auto batch, run->next());
    result.samples += batch->count;
    result.elapsed_s = seconds_since(timing);
  }
  result.stats = run->stats();
  return result;
}

void print_json(const BenchOptions& options, const BenchResult& result) {
  nlohmann::ordered_json out = {{"source", options.source},
                                {"transform", options.transform},
                                {"threads", result.stats.now.decode.threads},
                                {"batch", options.batch},
                                {"images_per_s", result.images_per_s()},
                                {"first_batch_s", result.first_batch_s},
                                {"read_bytes", result.stats.now.read.bytes},
                                {"entry_points",
                                 {{"found", result.stats.entry_points.found},
                                  {"learnt", result.stats.entry_points.learnt},
                                  {"extended", result.stats.entry_points.extended},
                                  {"stored_bytes", result.stats.entry_points.stored_bytes}}},
                                {"peak_memory_bytes", deliver::peak_memory_bytes()}};
  for (const auto* stage : result.stats.now.stages()) {
    out["stages"][stage->name] = {{"threads", stage->threads},
                                  {"busy_s", stage->busy_s},
                                  {"wait_input_s", stage->wait_input_s},
                                  {"wait_output_s", stage->wait_output_s}};
  }
  fmt::print("{}\n", out.dump(2));
}

void print_share(const char* who, const char* what, double seconds, double total_s) {
  fmt::print("  {:<10} {:<16} {:>5.1f} %\n", who, what, 100 * seconds / total_s);
}

void print_stages(const deliver::Snapshot& now) {
  const double readers_s = now.time_s * std::max(1, now.read.threads);
  print_share("readers", "read", now.read.busy_s, readers_s);
  print_share("readers", "wait for room", now.read.wait_output_s, readers_s);
  const double workers_s = now.time_s * now.decode.threads;
  print_share("workers", "decode", now.decode.busy_s, workers_s);
  print_share("workers", "transform", now.transform.busy_s, workers_s);
  print_share("workers", "wait for bytes", now.decode.wait_input_s, workers_s);
  print_share("workers", "wait for a slot", now.transform.wait_output_s, workers_s);
}

void print_table(const BenchOptions& options, const BenchResult& result) {
  const deliver::RunStats& stats = result.stats;
  fmt::print("{} transform, batches of {}, {} threads\n\n", options.transform, options.batch,
             stats.now.decode.threads);
  fmt::print("  images/s              {:>10.0f}\n", result.images_per_s());
  fmt::print("  read                  {:>10.1f} MB/s\n",
             static_cast<double>(stats.now.read.bytes) * 1e-6 / stats.now.time_s);
  fmt::print("  first batch after     {:>10.3f} s\n", result.first_batch_s);
  fmt::print("  peak memory           {:>10.1f} MB\n",
             static_cast<double>(deliver::peak_memory_bytes()) * 1e-6);
  fmt::print("  entry points found    {:>10.1f} % of samples\n\n",
             100 * static_cast<double>(stats.entry_points.found) /
                 static_cast<double>(std::max<std::uint64_t>(1, stats.now.decode.samples)));
  fmt::print("Where the threads' time goes:\n");
  print_stages(stats.now);
}

Status bench(const BenchOptions& options) {
  PENSTOCK_TRY_ASSIGN(const BenchResult result, measure(options));
  if (options.is_json) {
    print_json(options, result);
  } else {
    print_table(options, result);
  }
  return {};
}

}  // namespace

Action define_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  app.add_option("source", options->source, kSourceHelp)->required();
  app.add_option(
         "--transform", options->transform,
         "train: random_resized_crop 224, flip, normalize; eval: resize 256, center_crop 224, "
         "normalize; none: resize to 224x224, u8")
      ->check(CLI::IsMember({"train", "eval", "none"}))
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
  app.add_flag("--json", options->is_json, "Print JSON");
  app.footer("Example: penstock bench photos/ --transform train --threads 2");
  return [options] { return bench(*options); };
}

}  // namespace penstock::cli
