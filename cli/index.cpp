// penstock index: makes ahead of time what the first epoch would make.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "check_run.h"
#include "commands.h"
#include "job_options.h"
#include "penstock/base/units.h"
#include "penstock/source/index_file.h"
#include "penstock/source/path.h"
#include "penstock/storage/cache_folder.h"
#include "penstock/storage/catalog.h"
#include "source_argument.h"

namespace penstock::cli {
namespace {

struct IndexOptions {
  std::vector<std::string> source;
  bool makes_entry_points = false;
  bool uploads = false;
  int threads = 0;
  std::uint64_t limit = 20;
  bool is_json = false;
};

struct IndexReport {
  std::uint64_t num_samples = 0;
  std::uint64_t num_shards = 0;
  std::uint64_t num_bytes = 0;  // of the samples
  double elapsed_s = 0;
  std::uint64_t num_uploaded = 0;
  CheckReport check;  // if entry points were made

  // What was learnt counts if it could be kept.
  std::uint64_t images_with_entry_points() const {
    const deliver::EntryPointStats& points = check.entry_points;
    return points.found + (points.problem.empty() ? points.learnt : 0);
  }
  double share() const {
    return static_cast<double>(check.entry_points.stored_bytes) /
           static_cast<double>(std::max<std::uint64_t>(1, num_bytes));
  }
};

// Copies the indexes of remote shards, which are kept on this machine, to where the shards lie.
// Returns how many.
Result<std::uint64_t> upload_indexes(const source::Source& source) {
  const auto storage = storage::make_storage();
  std::uint64_t num_uploaded = 0;
  for (std::uint32_t object = 0; object < source.num_objects(); ++object) {
    const std::string_view path = source.object_path(object);
    if (!storage->is_remote(path) || source.object_bytes(object) == 0) continue;
    const auto places = source::index_places(source::folder_of(path), source::base_name(path),
                                             storage::user_cache_folder());
    PENSTOCK_TRY_ASSIGN(const auto bytes, source::read_object(*storage, places.cached));
    PENSTOCK_TRY(storage->write(places.beside, bytes));
    ++num_uploaded;
  }
  if (num_uploaded == 0) {
    return unsupported("nothing to upload, expected shards on a server that tells their times");
  }
  return num_uploaded;
}

// To open a source is to index it.
Result<IndexReport> make_index(const IndexOptions& options) {
  const auto began = Clock::now();
  PENSTOCK_TRY_ASSIGN(const auto plan, check_plan(options.source));
  IndexReport report{.num_samples = plan->source().num_samples(),
                     .num_shards = plan->source().shard_sizes().size(),
                     .num_bytes = total_bytes(plan->source())};
  if (options.makes_entry_points) {
    PENSTOCK_TRY_ASSIGN(report.check, check_everything(plan, {.threads = options.threads}));
  } else {
    for (const auto& damage : plan->source().damages()) {
      report.check.bad.push_back(deliver::manifest_line(damage));
    }
  }
  if (options.uploads) {
    PENSTOCK_TRY_ASSIGN(report.num_uploaded, upload_indexes(plan->source()));
  }
  report.elapsed_s = seconds_since(began);
  return report;
}

void print_json(const IndexOptions& options, const IndexReport& report) {
  nlohmann::ordered_json out = {{"samples", report.num_samples},
                                {"shards", report.num_shards},
                                {"bytes", report.num_bytes},
                                {"bad", report.check.bad.size()},
                                {"seconds", report.elapsed_s}};
  if (options.makes_entry_points) {
    out["entry_points"] = {{"images", report.images_with_entry_points()},
                           {"bytes", report.check.entry_points.stored_bytes},
                           {"share", report.share()}};
  }
  if (options.uploads) out["uploaded"] = report.num_uploaded;
  fmt::print("{}\n", out.dump(2));
}

void print_table(const IndexOptions& options, const IndexReport& report) {
  print_bad(report.check, options.limit, "--limit shows more");
  fmt::print("samples                   {:>12}\n", report.num_samples);
  fmt::print("shards                    {:>12}\n", report.num_shards);
  fmt::print("bytes                     {:>12}\n", print_size_bytes(report.num_bytes));
  if (options.makes_entry_points) {
    fmt::print("images with entry points  {:>12}\n", report.images_with_entry_points());
    fmt::print("bytes of entry points     {:>12}  ({:.2f} %)\n",
               print_size_bytes(report.check.entry_points.stored_bytes), 100 * report.share());
  }
  if (options.uploads) {
    fmt::print("indexes uploaded          {:>12}\n", report.num_uploaded);
  }
  fmt::print("time                      {:>10.1f} s\n", report.elapsed_s);
}

Status index(const IndexOptions& options) {
  PENSTOCK_TRY_ASSIGN(const IndexReport report, make_index(options));
  if (options.is_json) {
    print_json(options, report);
  } else {
    print_table(options, report);
  }
  if (const std::string& problem = report.check.entry_points.problem; !problem.empty()) {
    return io_error("entry points are not kept: ", problem);
  }
  if (report.check.bad.empty()) return {};
  return corrupt(report.check.bad.size(), " of ", report.num_samples, " are bad");
}

}  // namespace

Action define_index(CLI::App& app) {
  auto options = std::make_shared<IndexOptions>();
  app.add_option("source", options->source, kSourceHelp)->required();
  app.add_flag("--entry-points", options->makes_entry_points,
               "Read and decode every image, and keep where decoding can begin inside it");
  app.add_flag("--upload", options->uploads,
               "Also put the index of remote shards beside them, into .penstock, where everybody "
               "who may read the shards finds it");
  add_threads_option(app, options->threads);
  app.add_option("--limit", options->limit, "Bad samples to show")->capture_default_str();
  app.add_flag("--json", options->is_json, "Print JSON");
  app.footer(
      "What is made lies in .penstock beside the data, or in the user's cache folder. The exit "
      "code "
      "is 0 if\nall is well, 1 if something is bad.\n"
      "Example: penstock index 'shards/train-{000..009}.tar' --entry-points");
  return [options] { return index(*options); };
}

}  // namespace penstock::cli
