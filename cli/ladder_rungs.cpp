// Measuring the rungs of a ladder.
#include "ladder_rungs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "clock.h"
#include "ladder_copies.h"
#include "page_cache.h"
#include "penstock/deliver/machine.h"
#include "penstock/pipeline/plan.h"
#include "temporary_folder.h"

namespace penstock::cli {
namespace {

constexpr std::uint64_t kMostWarmUpSamples = 10'000;
constexpr int kTensorSide = 224;

// Passes over the whole source, each by a run of its own, for the job's time.
Result<double> measure_passes(const Job& job, bool is_cold) {
  PENSTOCK_TRY_ASSIGN(pipeline::Spec spec, job_spec(job));
  spec.epochs = 1;
  PENSTOCK_TRY_ASSIGN(auto made, pipeline::make_plan(spec, {.source = job.inputs}));
  const std::shared_ptr<const pipeline::Plan> plan = std::move(made);
  double elapsed_s = 0;
  std::uint64_t samples = 0;
  while (elapsed_s < job.seconds) {
    if (is_cold) PENSTOCK_TRY(evict_files(plan->source()));
    const auto began = Clock::now();
    PENSTOCK_TRY_ASSIGN(const auto run, deliver::Run::start(plan, job.run));
    while (elapsed_s + seconds_since(began) < 2 * job.seconds) {
      PENSTOCK_TRY_ASSIGN(const std::uint64_t count, take_batch(*run, job));
      if (count == 0) break;
      samples += count;
    }
    elapsed_s += seconds_since(began);
  }
  return static_cast<double>(samples) / elapsed_s;
}

class Climber {
 public:
  Climber(const LadderTask& task, std::string folder) : task_(task), folder_(std::move(folder)) {
    result_.cores = deliver::available_cores();
  }

  Result<LadderResult> run() {
    PENSTOCK_TRY(climb_bound());
    PENSTOCK_TRY(climb_prefetch());
    PENSTOCK_TRY(climb_threads());
    PENSTOCK_TRY(climb_preparation());
    PENSTOCK_TRY(climb_storage());
    if (task_.job.source.kind == "synthetic") {
      result_.notes.emplace_back("Images are synthetic: no copies in other formats.");
      return std::move(result_);
    }
    PENSTOCK_TRY(climb_formats());
    PENSTOCK_TRY(climb_encodings());
    return std::move(result_);
  }

 private:
  std::size_t num_rungs() const { return result_.ladder.rungs.size(); }

  Status add(analyze::Rung rung, const Job& job) {
    show(rung);
    PENSTOCK_TRY_ASSIGN(const Measurement measured, measure(job).at(rung.name));
    rung.images_per_s = measured.images_per_s();
    result_.ladder.rungs.push_back(std::move(rung));
    return {};
  }

  Status add_passes(analyze::Rung rung, bool is_cold) {
    show(rung);
    PENSTOCK_TRY_ASSIGN(rung.images_per_s, measure_passes(task_.job, is_cold).at(rung.name));
    result_.ladder.rungs.push_back(std::move(rung));
    return {};
  }

  void show(const analyze::Rung& rung) const {
    if (task_.progress) {
      task_.progress(fmt::format("rung {}: {}: {}", num_rungs() + 1, rung.group, rung.name));
    }
  }

  // What is left to do with pixels of the right size.
  std::vector<OptionText> tensor_ops() const {
    return task_.transform == "none" ? std::vector<OptionText>{}
                                     : std::vector<OptionText>{{"normalize", {}}};
  }

  // What a trainer gets that waits for nothing: tensors of the same type that are there already.
  Status climb_bound() {
    Job job = task_.job;
    job.source = {"synthetic", {}, {}, {}};
    job.ops = tensor_ops();
    PENSTOCK_TRY(add({"bound", "synthetic images", 0, {}, {}}, job));

    // Twice through, so that entry points are learnt and files lie in memory.
    PENSTOCK_TRY_ASSIGN(const auto open, pipeline::open_source(task_.job.source, task_.job.inputs));
    num_samples_ = open.source->num_samples();
    job = task_.job;
    job.warm_up_samples = std::min(2 * num_samples_, kMostWarmUpSamples);
    configured_ = num_rungs();
    return add({"job", "as configured", 0, kBound, "read, decode, distort"}, job);
  }

  Status climb_prefetch() {
    Job job = task_.job;
    job.run.prefetch = 0;
    PENSTOCK_TRY(add({"prefetch", "no prefetch", 0, configured_, "no batch kept ready"}, job));
    job.run.prefetch = 8;
    return add({"prefetch", "prefetch 8", 0, num_rungs() - 1, "8 batches kept ready"}, job);
  }

  Status climb_threads() {
    Job job = task_.job;
    std::optional<std::size_t> before;
    for (const int threads : thread_counts(result_.cores)) {
      job.run.threads = threads;
      const std::string cause =
          !before
              ? "one thread"
              : (threads > result_.cores ? fmt::format("{} threads a core", threads / result_.cores)
                                         : "twice the threads");
      const std::string name = fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
      PENSTOCK_TRY(add({"threads", name, 0, before.value_or(configured_), cause}, job));
      before = num_rungs() - 1;
    }
    return {};
  }

  Status climb_preparation() {
    Job job = task_.job;
    std::size_t before = configured_;
    if (task_.transform == "train" || task_.transform == "eval") {
      job.ops = transform_ops("resize");
      before = num_rungs();
      PENSTOCK_TRY(add({"preparation", "no distortions", 0, configured_, "only resized"}, job));
    }
    PENSTOCK_TRY_ASSIGN(const DecodedImages images,
                        decode_resized(task_.job, kTensorSide, copied_samples()));
    job.source = {"arrays", {}, {}, {}};
    job.inputs.arrays = {images.columns()};
    job.ops = tensor_ops();
    return add({"preparation", "precached tensors", 0, before, "no read, decode, resize"}, job);
  }

  Status climb_storage() {
    PENSTOCK_TRY(
        add_passes({"storage", "passes, warm", 0, configured_, "start of each pass"}, false));
    PENSTOCK_TRY_ASSIGN(const auto open, pipeline::open_source(task_.job.source, task_.job.inputs));
    PENSTOCK_TRY_ASSIGN(const std::uint64_t num_files, evict_files(*open.source));
    if (num_files == 0) {
      result_.notes.emplace_back("No local files: no cold page cache.");
      return {};
    }
    PENSTOCK_TRY(
        add_passes({"storage", "passes, cold", 0, num_rungs() - 1, "page cache empty"}, true));
    const auto& rungs = result_.ladder.rungs;
    result_.stalls =
        analyze::split_stalls(rungs.back().images_per_s, rungs[rungs.size() - 2].images_per_s,
                              rungs[kBound].images_per_s);
    return {};
  }

  std::uint64_t copied_samples() const { return std::min(num_samples_, task_.copied_samples); }

  Status add_copy(analyze::Rung rung, Result<pipeline::SourceSpec> source,
                  std::size_t num_samples) {
    PENSTOCK_TRY(source);
    Job job = task_.job;
    job.source = *std::move(source);
    job.warm_up_samples = 2 * num_samples;
    return add(std::move(rung), job);
  }

  Status climb_formats() {
    PENSTOCK_TRY_ASSIGN(const auto samples, read_encoded(task_.job, copied_samples()));
    const std::size_t first = num_rungs();
    PENSTOCK_TRY(add_copy({"format", "raw files", 0, configured_, "a copy as files"},
                          write_folder(folder_ + "/raw", samples), samples.size()));
    PENSTOCK_TRY(add_copy({"format", "tar", 0, first, "one tar shard"},
                          write_tar(folder_ + "/tar", samples), samples.size()));
    return add_copy({"format", "TFRecord", 0, first, "one TFRecord shard"},
                    write_tfrecord(folder_ + "/tfrecord", samples), samples.size());
  }

  Status add_encoded(analyze::Rung rung, int side, Encoding encoding) {
    show(rung);
    const std::uint64_t count = std::min(num_samples_, task_.encoded_samples);
    PENSTOCK_TRY_ASSIGN(const DecodedImages images, decode_resized(task_.job, side, count));
    PENSTOCK_TRY_ASSIGN(const auto samples, encode_all(images, encoding));
    const std::string name = fmt::format("{}/encoded_{}", folder_, num_rungs());
    return add_copy(std::move(rung), write_folder(name, samples), samples.size());
  }

  Status climb_encodings() {
    const std::size_t first = num_rungs();
    PENSTOCK_TRY(add_encoded({"codec", "JPEG 512x512", 0, configured_, "encoded again"}, 512,
                             Encoding::kJpeg));
    PENSTOCK_TRY(
        add_encoded({"codec", "PNG 512x512", 0, first, "PNG, same pixels"}, 512, Encoding::kPng));
    PENSTOCK_TRY(add_encoded({"size", "JPEG 256x256", 0, first, "quarter the pixels"}, 256,
                             Encoding::kJpeg));
    return add_encoded({"size", "JPEG 1024x1024", 0, first, "4 times the pixels"}, 1024,
                       Encoding::kJpeg);
  }

  static constexpr std::size_t kBound = 0;
  const LadderTask& task_;
  const std::string folder_;
  std::size_t configured_ = 0;
  std::uint64_t num_samples_ = 0;
  LadderResult result_;
};

}  // namespace

std::vector<int> thread_counts(int cores) {
  std::vector<int> counts;
  for (int threads = 1; threads <= 4 * cores; threads *= 2) counts.push_back(threads);
  return counts;
}

Result<LadderResult> climb(const LadderTask& task) {
  PENSTOCK_TRY_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  return Climber(task, folder.path()).run();
}

}  // namespace penstock::cli
