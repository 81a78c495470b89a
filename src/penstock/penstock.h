// The public face of penstock in C++.
//
//   auto pipeline = penstock::tar({"train-{000..099}.tar"})
//                       .shuffle({.window = "10000"}, /*seed=*/7)
//                       .image("jpg", RandomResizedCrop{224}, RandomFlip{}, Normalize{})
//                       .label("cls")
//                       .batch(256);
//   auto run = pipeline.run();
//   if (!run.ok()) return fail(run.status().message());
//   while (true) {
//     auto batch = (*run)->next();  // a Result: bad data is a value
//     if (!batch.ok()) return fail(batch.status().message());
//     if (*batch == nullptr) break;  // the end
//     train((*batch)->array(0), (*batch)->array(1), (*batch)->count);
//   }
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/base/text.h"
#include "penstock/batch/batch.h"
#include "penstock/deliver/machine.h"
#include "penstock/deliver/run.h"
#include "penstock/ops.h"
#include "penstock/option_value.h"
#include "penstock/pipeline/plan.h"
#include "penstock/pipeline/spec.h"
#include "penstock/pipeline/state.h"

namespace penstock {

using batch::Batch;
using deliver::Run;
using deliver::RunOptions;
using pipeline::ShuffleSpec;
using source::FilterOptions;

struct ImageOptions {
  std::string dtype = "auto";  // "u8", "f16", "bf16", "f32"; auto: f32 if normalised, else u8
  std::string layout = "CHW";  // or "HWC"
  int channels = 3;            // or 1 for gray
  bool orientation = true;     // turn images upright as their EXIF data says
};

// Numbers of which samples may have more or fewer.
struct ArrayOptions {
  std::optional<std::string> dtype;                // to convert to; else as it is stored
  std::optional<std::vector<std::int64_t>> shape;  // of a sample; with ragged or length, of a row
  bool ragged = false;                             // samples have different numbers of rows
  std::optional<std::int64_t> length;  // samples have up to this many rows, and are filled up
  double pad = 0;                      // with this; how many they have is field "<name>.length"
};

struct BytesOptions {
  std::optional<std::int64_t> length;  // as of ArrayOptions
  int pad = 0;
};

// What to read and what to do with it. A value: every method gives a new one.
class Pipeline {
 public:
  explicit Pipeline(pipeline::SourceSpec source) { spec_.source = std::move(source); }

  Pipeline shuffle(ShuffleSpec options = {}, std::uint64_t seed = 0) const {
    return with([&](pipeline::Spec& spec) {
      spec.shuffle = std::move(options);
      spec.seed = seed;
    });
  }
  Pipeline shard(std::uint32_t rank, std::uint32_t world) const {
    return with([&](pipeline::Spec& spec) { spec.shard = pipeline::RankSpec{rank, world}; });
  }
  template <class... Ops>
  Pipeline image(std::string name, const Ops&... ops) const {
    return image(std::move(name), ImageOptions{}, ops...);
  }
  template <class... Ops>
  Pipeline image(std::string name, const ImageOptions& options, const Ops&... ops) const {
    OptionText reader{"image",
                      {{"dtype", options.dtype},
                       {"layout", options.layout},
                       {"channels", option_value(options.channels)},
                       {"orientation", option_value(options.orientation)}}};
    return with_field({std::move(name), std::move(reader), {ops.text()...}});
  }
  // A whole number; `fallback` is for samples that lack the field.
  Pipeline label(std::string name, std::optional<std::int64_t> fallback = std::nullopt) const {
    return with_field({std::move(name), reader("label", {option("default", fallback)}), {}});
  }
  // `dtype`: "f32", "f64", "i32" or "i64".
  Pipeline number(std::string name, std::string dtype = "f32",
                  std::optional<double> fallback = std::nullopt) const {
    return with_field(
        {std::move(name),
         reader("number", {Option{"dtype", std::move(dtype)}, option("default", fallback)}),
         {}});
  }
  // Numbers of a column in memory or of a feature.
  Pipeline array(std::string name, const ArrayOptions& options = {}) const {
    return with_field({std::move(name), array_reader("array", options), {}});
  }
  // An array that numpy saved.
  Pipeline npy(std::string name, const ArrayOptions& options = {}) const {
    return with_field({std::move(name), array_reader("npy", options), {}});
  }
  Pipeline bytes(std::string name, const BytesOptions& options = {}) const {
    return with_field(
        {std::move(name),
         reader("bytes", {option("length", options.length), option("pad", options.pad)}),
         {}});
  }
  // Text in UTF-8; it is checked.
  Pipeline text(std::string name) const { return with_field({std::move(name), {"text", {}}, {}}); }
  // A JSON value, as text that is checked.
  Pipeline json(std::string name) const { return with_field({std::move(name), {"json", {}}, {}}); }
  // Keeps some of the samples, chosen without reading them.
  Pipeline filter(const FilterOptions& options) const {
    return with([&](pipeline::Spec& spec) {
      pipeline::SourceSpec filtered{"filter", {}, filter_options(options), {}};
      filtered.sources.push_back(std::move(spec.source));
      spec.source = std::move(filtered);
    });
  }
  // Keeps bytes of remote objects in a folder on a local disk, which all processes may share:
  // cache({.folder = "/scratch/penstock", .size = "200GiB"}).
  Pipeline cache(pipeline::DiskCacheSpec options) const {
    return with([&](pipeline::Spec& spec) { spec.disk_cache = std::move(options); });
  }
  // Keeps samples in memory. A run that shall go on with what another one kept gets its
  // Run::sample_cache() in RunOptions.
  Pipeline memory_cache(pipeline::MemoryCacheSpec options = {}) const {
    return with([&](pipeline::Spec& spec) { spec.memory_cache = std::move(options); });
  }
  // The samples come so many times in one epoch, each time in another order.
  Pipeline repeat(std::uint64_t times) const {
    return with([&](pipeline::Spec& spec) { spec.repeat = times; });
  }
  // Leaves out the first so many positions of each epoch.
  Pipeline skip(std::uint64_t samples) const {
    return with([&](pipeline::Spec& spec) { spec.skip = samples; });
  }
  Pipeline take(std::uint64_t samples) const {
    return with([&](pipeline::Spec& spec) { spec.take = samples; });
  }
  // nullopt: without end.
  Pipeline epochs(std::optional<std::uint64_t> count) const {
    return with([&](pipeline::Spec& spec) { spec.epochs = count; });
  }
  // `last`: "drop", "keep" or "wrap".
  Pipeline batch(std::uint64_t size, std::string last = "drop") const {
    return with([&](pipeline::Spec& spec) { spec.batch = {size, std::move(last)}; });
  }

  const pipeline::Spec& spec() const { return spec_; }

  // Checks everything, then starts the threads.
  Result<std::unique_ptr<Run>> run(const RunOptions& options = {}) const {
    PENSTOCK_TRY_ASSIGN(auto plan, make_plan(options));
    return Run::start(std::move(plan), options);
  }

  // Goes on where `state`, a text that Run::state() gave, was taken: also at another world size,
  // batch size or number of threads. Fails if the pipeline or the dataset differ, naming what does.
  Result<std::unique_ptr<Run>> resume(std::string_view state, RunOptions options = {}) const {
    PENSTOCK_TRY_ASSIGN(auto plan, make_plan(options));
    PENSTOCK_TRY_ASSIGN(const pipeline::State known, pipeline::parse_state(state));
    PENSTOCK_TRY(pipeline::check_state(*plan, known));
    options.begin = {known.epoch, known.position};
    options.errors.num_known = known.num_bad;
    return Run::start(std::move(plan), options);
  }

  // A source made of the sources of others, which must have no fields, shuffle or batch yet; run()
  // reports if they have.
  static Pipeline combined(std::string kind, std::span<const Pipeline> parts,
                           std::vector<Option> options = {}) {
    Pipeline out({kind, {}, std::move(options), {}});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      pipeline::Spec bare;
      bare.source = parts[i].spec_.source;
      if (parts[i].spec_ != bare && out.problem_.ok()) {
        out.problem_ = invalid_argument(kind, ": source ", i,
                                        " already has fields, a shuffle or a batch, expected a "
                                        "source alone");
      }
      out.spec_.source.sources.push_back(std::move(bare.source));
    }
    return out;
  }

 private:
  Result<std::unique_ptr<const pipeline::Plan>> make_plan(const RunOptions& options) const {
    PENSTOCK_TRY(problem_);
    pipeline::PlanInputs inputs;
    PENSTOCK_TRY_ASSIGN(inputs.launcher, deliver::rank_of_launcher());
    inputs.memory_bytes = options.memory_bytes;
    inputs.tolerates_damage = options.errors.on_error != deliver::OnError::kRaise;
    return pipeline::make_plan(spec_, inputs);
  }

  static std::vector<Option> filter_options(const FilterOptions& options) {
    return {{"key", options.key},
            {"min_bytes", option_value(options.min_bytes)},
            {"max_bytes", option_value(options.max_bytes)},
            {"field", options.field},
            {"labels", option_value(options.labels)},
            {"classes", option_value(options.classes)},
            {"label_field", options.label_field}};
  }

  template <class Change>
  Pipeline with(Change change) const {
    Pipeline changed = *this;
    change(changed.spec_);
    return changed;
  }
  // Options that are as they are anyway are left out, so that a Spec is the same from every
  // language.
  static OptionText reader(std::string name, std::vector<std::optional<Option>> options) {
    OptionText out{std::move(name), {}};
    for (std::optional<Option>& given : options) {
      if (given) out.options.push_back(*std::move(given));
    }
    return out;
  }
  template <class T>
  static std::optional<Option> option(std::string name, const T& value, const T& otherwise = {}) {
    if (value == otherwise) return std::nullopt;
    return Option{std::move(name), option_value(value)};
  }
  static OptionText array_reader(std::string name, const ArrayOptions& options) {
    return reader(std::move(name), {option("dtype", options.dtype), option("shape", options.shape),
                                    option("ragged", options.ragged),
                                    option("length", options.length), option("pad", options.pad)});
  }
  Pipeline with_field(pipeline::FieldSpec field) const {
    return with([&](pipeline::Spec& spec) { spec.fields.push_back(std::move(field)); });
  }

  pipeline::Spec spec_;
  Status problem_;  // with how it was put together
};

// Image files below a folder: fields `image` and `label`.
inline Pipeline folder(std::string path, std::string labels = "classes") {
  return Pipeline({"folder", {std::move(path)}, {{"labels", std::move(labels)}}});
}

// Tar shards: a field for each extension.
inline Pipeline tar(std::vector<std::string> urls) {
  return Pipeline({"tar", std::move(urls), {}});
}

// TFRecord shards: a field for each feature. `features` as {"label:int64", "box:float[3x4]"}; none:
// what the first records have.
inline Pipeline tfrecord(std::vector<std::string> urls,
                         const std::vector<std::string>& features = {}) {
  return Pipeline({"tfrecord", std::move(urls), {{"features", option_value(features)}}});
}

// Sources one after the other.
inline Pipeline concat(std::initializer_list<Pipeline> sources) {
  return Pipeline::combined("concat", sources);
}

// Sources side by side: their fields together.
inline Pipeline zip(std::initializer_list<Pipeline> sources) {
  return Pipeline::combined("zip", sources);
}

// A source and how often it is drawn, against the others.
struct Weighted {
  Pipeline source;
  double weight = 1;
};

// Sources drawn from by weight: mix({{a, 0.7}, {b, 0.3}}).
inline Pipeline mix(std::initializer_list<Weighted> sources) {
  std::vector<Pipeline> parts;
  std::vector<double> weights;
  for (const Weighted& part : sources) {
    parts.push_back(part.source);
    weights.push_back(part.weight);
  }
  return Pipeline::combined("mix", parts, {{"weights", option_value(weights)}});
}

// Made-up images that cost nothing.
inline Pipeline synthetic(std::uint64_t samples) {
  return Pipeline({"synthetic", {}, {{"samples", concat(samples)}}});
}

}  // namespace penstock
