// Measuring how fast a source is delivered.
#include "measure.h"

#include <chrono>
#include <initializer_list>
#include <string_view>
#include <thread>
#include <utility>

#include "clock.h"
#include "penstock/pipeline/plan.h"
#include "temporary_folder.h"

namespace penstock::cli {
namespace {

constexpr double kMostWarmUp = 10;  // times what is measured

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

// As many samples as asked for, without training, then a fifth of the time, so that start-up does
// not count.
Status warm_up(deliver::Run& run, const Job& job) {
  Job rushed = job;
  rushed.step_ms = 0;
  const auto began = Clock::now();
  std::uint64_t samples = 0;
  while (samples < job.warm_up_samples && seconds_since(began) < kMostWarmUp * job.seconds) {
    PENSTOCK_TRY_ASSIGN(const std::uint64_t count, take_batch(run, rushed));
    samples += count;
  }
  const auto training = Clock::now();
  while (seconds_since(training) < job.seconds / 5) PENSTOCK_TRY(take_batch(run, job));
  return {};
}

}  // namespace

std::vector<OptionText> transform_ops(const std::string& transform) {
  if (transform == "train") {
    return {{"random_resized_crop", {{"size", "224"}}}, {"random_flip", {}}, {"normalize", {}}};
  }
  if (transform == "eval") {
    return {{"resize", {{"size", "256"}}}, {"center_crop", {{"size", "224"}}}, {"normalize", {}}};
  }
  if (transform == "resize") return {{"resize", {{"size", "224,224"}}}, {"normalize", {}}};
  return {{"resize", {{"size", "224,224"}}}};
}

Result<pipeline::Spec> job_spec(const Job& job) {
  PENSTOCK_TRY_ASSIGN(const pipeline::OpenSource open,
                      pipeline::open_source(job.source, job.inputs));
  const std::string image =
      find_field(*open.source, {"image", "jpg", "jpeg", "png", "webp", "image/encoded"});
  if (image.empty()) {
    return invalid_argument("no field image, jpg, jpeg, png, webp or image/encoded in ",
                            job.source.urls.empty() ? job.source.kind : job.source.urls[0]);
  }
  pipeline::Spec spec{.source = job.source, .epochs = std::nullopt};
  spec.fields.push_back({image, {"image", {}}, job.ops});
  const std::string label = find_field(*open.source, {"label", "cls", "image/class/label"});
  if (!label.empty()) spec.fields.push_back({label, {"label", {}}, {}});
  if (job.is_shuffled) spec.shuffle = pipeline::ShuffleSpec{};
  spec.batch = {job.batch, "wrap"};
  return spec;
}

Result<std::uint64_t> take_batch(deliver::Run& run, const Job& job) {
  PENSTOCK_TRY(check_interrupted());
  PENSTOCK_TRY_ASSIGN(const auto batch, run.next());
  if (batch == nullptr) return std::uint64_t{0};
  if (job.step_ms > 0) {
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(job.step_ms));
  }
  return batch->count;
}

Result<Measurement> measure(const Job& job) {
  const auto began = Clock::now();
  PENSTOCK_TRY_ASSIGN(const pipeline::Spec spec, job_spec(job));
  PENSTOCK_TRY_ASSIGN(auto plan, pipeline::make_plan(spec, {.source = job.inputs}));
  PENSTOCK_TRY_ASSIGN(const auto run, deliver::Run::start(std::move(plan), job.run));
  PENSTOCK_TRY(run->next());
  Measurement result;
  result.first_batch_s = seconds_since(began);

  PENSTOCK_TRY(warm_up(*run, job));
  const deliver::Snapshot begin = run->stats().now;
  const auto timing = Clock::now();
  while (result.elapsed_s < job.seconds) {
    PENSTOCK_TRY_ASSIGN(const std::uint64_t count, take_batch(*run, job));
    const double elapsed_s = seconds_since(timing);
    result.batch_ms.push_back(1000 * (elapsed_s - result.elapsed_s));
    result.samples += count;
    result.elapsed_s = elapsed_s;
  }
  result.tensor_bytes =
      static_cast<double>(run->plan().layout().size_bytes()) / static_cast<double>(job.batch);
  result.stats = run->stats();
  result.verdict =
      analyze::verdict(deliver::difference(result.stats.now, begin), analyze::facts_of(*run));
  result.timing = analyze::analyze_timing(analyze::timed_batches(run->batch_times()));
  return result;
}

}  // namespace penstock::cli
