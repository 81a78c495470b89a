// Measuring the rungs of a ladder.
#include "ladder_rungs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
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
constexpr int kRounds = 5;

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

// First everything is made that the rungs need, then they are measured in turn, several times: a
// machine that becomes slower meanwhile does so for all of them.
class Climber {
 public:
  Climber(const LadderTask& task, std::string folder)
      : task_(task), job_(task.job), folder_(std::move(folder)) {
    job_.seconds /= kRounds;
    result_.cores = deliver::available_cores();
  }

  Result<LadderResult> run() {
    PENSTOCK_TRY_ASSIGN(const auto open, pipeline::open_source(job_.source, job_.inputs));
    num_samples_ = open.source->num_samples();
    add_bound();
    add_prefetch();
    add_threads();
    PENSTOCK_TRY(add_preparation());
    PENSTOCK_TRY(add_storage(*open.source));
    if (job_.source.kind == "synthetic") {
      result_.notes.emplace_back("Images are synthetic: no copies in other formats.");
    } else {
      PENSTOCK_TRY(add_formats());
      PENSTOCK_TRY(add_encodings());
    }
    PENSTOCK_TRY(measure_all());
    return std::move(result_);
  }

 private:
  using Measure = std::function<Result<double>()>;

  std::size_t num_rungs() const { return result_.ladder.rungs.size(); }

  void add(analyze::Rung rung, Measure measure) {
    result_.ladder.rungs.push_back(std::move(rung));
    measures_.push_back(std::move(measure));
  }

  void add(analyze::Rung rung, Job job) {
    add(std::move(rung), [job = std::move(job)]() -> Result<double> {
      PENSTOCK_TRY_ASSIGN(const Measurement measured, measure(job));
      return measured.images_per_s();
    });
  }

  Status measure_all() {
    std::vector<std::vector<double>> rates(num_rungs());
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < num_rungs(); ++i) {
        const analyze::Rung& rung = result_.ladder.rungs[i];
        show(fmt::format("round {} of {}: {}: {}", round + 1, kRounds, rung.group, rung.name));
        PENSTOCK_TRY_ASSIGN(const double rate, measures_[i]().at(rung.name));
        rates[i].push_back(rate);
      }
    }
    auto& rungs = result_.ladder.rungs;
    for (std::size_t i = 0; i < num_rungs(); ++i) rungs[i].images_per_s = analyze::median(rates[i]);
    if (cold_) {
      result_.stalls = analyze::split_stalls(
          rungs[*cold_].images_per_s, rungs[*cold_ - 1].images_per_s, rungs[kBound].images_per_s);
    }
    return {};
  }

  void show(const std::string& what) const {
    if (task_.progress) task_.progress(what);
  }

  // What is left to do with pixels of the right size.
  std::vector<OptionText> tensor_ops() const {
    return task_.transform == "none" ? std::vector<OptionText>{}
                                     : std::vector<OptionText>{{"normalize", {}}};
  }

  // What a trainer gets that waits for nothing: tensors of the same type that are there already.
  void add_bound() {
    Job job = job_;
    job.source = {"synthetic", {}, {}, {}};
    job.ops = tensor_ops();
    add({"bound", "synthetic images", 0, {}, {}}, job);

    // Twice through, so that entry points are learnt and files lie in memory.
    job = job_;
    job.warm_up_samples = std::min(2 * num_samples_, kMostWarmUpSamples);
    add({"job", "as configured", 0, kBound, "read, decode, distort"}, job);
  }

  void add_prefetch() {
    Job job = job_;
    job.run.prefetch = 0;
    add({"prefetch", "no prefetch", 0, kConfigured, "no batch kept ready"}, job);
    job.run.prefetch = 8;
    add({"prefetch", "prefetch 8", 0, num_rungs() - 1, "8 batches kept ready"}, job);
  }

  void add_threads() {
    Job job = job_;
    std::optional<std::size_t> before;
    for (const int threads : thread_counts(result_.cores)) {
      job.run.threads = threads;
      const std::string cause =
          !before
              ? "one thread"
              : (threads > result_.cores ? fmt::format("{} threads a core", threads / result_.cores)
                                         : "twice the threads");
      const std::string name = fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
      add({"threads", name, 0, before.value_or(kConfigured), cause}, job);
      before = num_rungs() - 1;
    }
  }

  Status add_preparation() {
    Job job = job_;
    std::size_t before = kConfigured;
    if (task_.transform == "train" || task_.transform == "eval") {
      job.ops = transform_ops("resize");
      before = num_rungs();
      add({"preparation", "no distortions", 0, kConfigured, "only resized"}, job);
    }
    show("making tensors");
    PENSTOCK_TRY_ASSIGN(tensors_, decode_resized(job_, kTensorSide, copied_samples()));
    job.source = {"arrays", {}, {}, {}};
    job.inputs.arrays = {tensors_.columns()};
    job.ops = tensor_ops();
    add({"preparation", "precached tensors", 0, before, "no read, decode, resize"}, job);
    return {};
  }

  Status add_storage(const source::Source& source) {
    add({"storage", "passes, warm", 0, kConfigured, "start of each pass"},
        [this] { return measure_passes(job_, false); });
    PENSTOCK_TRY_ASSIGN(const std::uint64_t num_files, evict_files(source));
    if (num_files == 0) {
      result_.notes.emplace_back("No local files: no cold page cache.");
      return {};
    }
    cold_ = num_rungs();
    add({"storage", "passes, cold", 0, *cold_ - 1, "page cache empty"},
        [this] { return measure_passes(job_, true); });
    return {};
  }

  std::uint64_t copied_samples() const { return std::min(num_samples_, task_.copied_samples); }

  Status add_copy(analyze::Rung rung, Result<pipeline::SourceSpec> source,
                  std::size_t num_samples) {
    PENSTOCK_TRY(source);
    Job job = job_;
    job.source = *std::move(source);
    job.warm_up_samples = 2 * num_samples;
    add(std::move(rung), job);
    return {};
  }

  Status add_formats() {
    show("making copies in other formats");
    PENSTOCK_TRY_ASSIGN(const auto samples, read_encoded(job_, copied_samples()));
    const std::size_t first = num_rungs();
    PENSTOCK_TRY(add_copy({"format", "raw files", 0, kConfigured, "a copy as files"},
                          write_folder(folder_ + "/raw", samples), samples.size()));
    PENSTOCK_TRY(add_copy({"format", "tar", 0, first, "one tar shard"},
                          write_tar(folder_ + "/tar", samples), samples.size()));
    return add_copy({"format", "TFRecord", 0, first, "one TFRecord shard"},
                    write_tfrecord(folder_ + "/tfrecord", samples), samples.size());
  }

  Status add_encoded(analyze::Rung rung, int side, Encoding encoding) {
    show("making " + rung.name);
    const std::uint64_t count = std::min(num_samples_, task_.encoded_samples);
    PENSTOCK_TRY_ASSIGN(const DecodedImages images, decode_resized(job_, side, count));
    PENSTOCK_TRY_ASSIGN(const auto samples, encode_all(images, encoding));
    const std::string name = fmt::format("{}/encoded_{}", folder_, num_rungs());
    return add_copy(std::move(rung), write_folder(name, samples), samples.size());
  }

  Status add_encodings() {
    const std::size_t first = num_rungs();
    PENSTOCK_TRY(add_encoded({"codec", "JPEG 512x512", 0, kConfigured, "encoded again"}, 512,
                             Encoding::kJpeg));
    PENSTOCK_TRY(
        add_encoded({"codec", "PNG 512x512", 0, first, "PNG, same pixels"}, 512, Encoding::kPng));
    PENSTOCK_TRY(add_encoded({"size", "JPEG 256x256", 0, first, "quarter the pixels"}, 256,
                             Encoding::kJpeg));
    return add_encoded({"size", "JPEG 1024x1024", 0, first, "4 times the pixels"}, 1024,
                       Encoding::kJpeg);
  }

  static constexpr std::size_t kBound = 0;
  static constexpr std::size_t kConfigured = 1;
  const LadderTask& task_;
  Job job_;  // as configured, for one round
  const std::string folder_;
  std::uint64_t num_samples_ = 0;
  DecodedImages tensors_;
  std::vector<Measure> measures_;  // of each rung
  std::optional<std::size_t> cold_;
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
