// The one list of source kinds.
#include "penstock/pipeline/sources.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "penstock/storage/cache_folder.h"
#include "penstock/storage/catalog.h"

namespace penstock::pipeline {
namespace {

// A storage, which `out` keeps.
const storage::Storage& add_storage(const SourceInputs& inputs, OpenSource& out) {
  auto made = storage::make_storage(inputs.stop);
  if (inputs.cache) made = storage::make_cached_storage(std::move(made), *inputs.cache);
  out.storages.push_back(std::move(made));
  return *out.storages.back();
}

struct FolderKind {
  static constexpr std::string_view kName = "folder";
  static constexpr std::string_view kDoc = "Image files in a folder and the folders below it.";

  std::string labels = "classes";
  bool index_cache = true;

  static constexpr auto fields() {
    return std::tuple{
        Field{"labels", &FolderKind::labels,
              "\"classes\": the first folder below names the class; \"none\"; or a .csv or .jsonl "
              "table of file and label."},
        Field{"index_cache", &FolderKind::index_cache,
              "Keep the list of files for the next time."}};
  }

  Result<OpenSource> open(const SourceSpec& spec, const SourceInputs& inputs) const {
    if (spec.urls.size() != 1) {
      return invalid_argument(spec.urls.size(), " paths, expected one folder");
    }
    OpenSource out;
    const storage::Storage& storage = add_storage(inputs, out);
    PENSTOCK_TRY_ASSIGN(out.source,
                        source::make_folder_source(storage,
                                                   {.path = spec.urls[0],
                                                    .labels = labels,
                                                    .uses_index_cache = index_cache,
                                                    .cache_folder = storage::user_cache_folder()},
                                                   inputs.progress));
    return out;
  }
};

struct TarKind {
  static constexpr std::string_view kName = "tar";
  static constexpr std::string_view kDoc = "Tar shards; members of one key are one sample.";

  bool index_cache = true;

  static constexpr auto fields() {
    return std::tuple{
        Field{"index_cache", &TarKind::index_cache, "Keep the list of members for the next time."}};
  }

  Result<OpenSource> open(const SourceSpec& spec, const SourceInputs& inputs) const {
    if (spec.urls.empty()) return invalid_argument("no shards given, expected paths or patterns");
    OpenSource out;
    out.is_sharded = true;
    const storage::Storage& storage = add_storage(inputs, out);
    PENSTOCK_TRY_ASSIGN(out.source,
                        source::make_tar_source(storage,
                                                {.urls = spec.urls,
                                                 .uses_index_cache = index_cache,
                                                 .cache_folder = storage::user_cache_folder()},
                                                inputs.progress));
    return out;
  }
};

struct TfrecordKind {
  static constexpr std::string_view kName = "tfrecord";
  static constexpr std::string_view kDoc = "TFRecord shards of tf.Examples; a field for a feature.";

  std::vector<std::string> features;
  bool check_crc = true;
  bool index_cache = true;

  static constexpr auto fields() {
    return std::tuple{
        Field{
            "features", &TfrecordKind::features,
            "name:int64, name:float or name:bytes, with a shape as in name:float[3x4] or without; "
            "none: what the first records have."},
        Field{"check_crc", &TfrecordKind::check_crc,
              "Check that records are as they were written."},
        Field{"index_cache", &TfrecordKind::index_cache,
              "Keep the list of records for the next time."}};
  }

  Result<OpenSource> open(const SourceSpec& spec, const SourceInputs& inputs) const {
    if (spec.urls.empty()) return invalid_argument("no shards given, expected paths or patterns");
    OpenSource out;
    out.is_sharded = true;
    const storage::Storage& storage = add_storage(inputs, out);
    PENSTOCK_TRY_ASSIGN(out.source,
                        source::make_tfrecord_source(storage,
                                                     {.urls = spec.urls,
                                                      .features = features,
                                                      .checks_crc = check_crc,
                                                      .uses_index_cache = index_cache,
                                                      .cache_folder = storage::user_cache_folder()},
                                                     inputs.progress));
    return out;
  }
};

struct ArraysKind {
  static constexpr std::string_view kName = "arrays";
  static constexpr std::string_view kDoc = "Arrays in memory, one row a sample.";

  std::uint64_t table = 0;

  static constexpr auto fields() {
    return std::tuple{Field{"table", &ArraysKind::table, "Which of the tables given."}};
  }

  Result<OpenSource> open(const SourceSpec&, const SourceInputs& inputs) const {
    if (table >= inputs.arrays.size()) {
      return invalid_argument("table is ", table, ", expected one of the ", inputs.arrays.size(),
                              " given");
    }
    OpenSource out;
    PENSTOCK_TRY_ASSIGN(out.source, source::make_array_source(inputs.arrays[table]));
    return out;
  }
};

struct SyntheticKind {
  static constexpr std::string_view kName = "synthetic";
  static constexpr std::string_view kDoc = "Made-up images that cost nothing: the upper bound.";

  std::uint64_t samples = 1'000'000;
  std::vector<std::int64_t> shape = {224, 224, 3};
  std::uint64_t classes = 1000;

  static constexpr auto fields() {
    return std::tuple{Field{"samples", &SyntheticKind::samples, "How many."},
                      Field{"shape", &SyntheticKind::shape, "Height, width, channels of an image."},
                      Field{"classes", &SyntheticKind::classes, "Labels are below this."}};
  }

  Result<OpenSource> open(const SourceSpec&, const SourceInputs&) const {
    if (shape.size() != 3) {
      return invalid_argument("shape has ", shape.size(), " sides, expected height,width,channels");
    }
    OpenSource out;
    PENSTOCK_TRY_ASSIGN(out.source,
                        source::make_synthetic_source(
                            {.samples = samples, .shape = Shape(shape), .classes = classes}));
    return out;
  }
};

using Sources = std::vector<std::unique_ptr<source::Source>>;

// Opens what a source is made of. Everything but the sources themselves goes to `out`.
Result<Sources> open_children(const SourceSpec& spec, const SourceInputs& inputs, OpenSource& out) {
  if (!spec.urls.empty()) {
    return invalid_argument(spec.urls.size(), " paths, expected sources and no paths");
  }
  Sources children;
  for (const SourceSpec& child : spec.sources) {
    if (child.kind == "mix") {
      return invalid_argument("holds a mix, but mix must be outermost");
    }
    PENSTOCK_TRY_ASSIGN(OpenSource open, open_source(child, inputs));
    std::ranges::move(open.storages, std::back_inserter(out.storages));
    out.is_sharded |= open.is_sharded;
    children.push_back(std::move(open.source));
  }
  return children;
}

struct ConcatKind {
  static constexpr std::string_view kName = "concat";
  static constexpr std::string_view kDoc = "Sources one after the other.";
  static constexpr auto fields() { return std::tuple{}; }

  static Result<OpenSource> open(const SourceSpec& spec, const SourceInputs& inputs) {
    OpenSource out;
    PENSTOCK_TRY_ASSIGN(Sources children, open_children(spec, inputs, out));
    PENSTOCK_TRY_ASSIGN(out.source, source::make_concat_source(std::move(children)));
    return out;
  }
};

struct ZipKind {
  static constexpr std::string_view kName = "zip";
  static constexpr std::string_view kDoc = "Sources side by side: their fields together.";
  static constexpr auto fields() { return std::tuple{}; }

  static Result<OpenSource> open(const SourceSpec& spec, const SourceInputs& inputs) {
    OpenSource out;
    PENSTOCK_TRY_ASSIGN(Sources children, open_children(spec, inputs, out));
    PENSTOCK_TRY_ASSIGN(out.source, source::make_zip_source(std::move(children)));
    return out;
  }
};

struct MixKind {
  static constexpr std::string_view kName = "mix";
  static constexpr std::string_view kDoc = "Sources in exact proportions, evenly.";

  std::vector<double> weights;
  order::Until until = order::Until::kFirst;

  static constexpr auto fields() {
    return std::tuple{Field{"weights", &MixKind::weights, "How much of each source there is."},
                      Field{"until", &MixKind::until,
                            "An epoch ends when the first source, or all, were gone through."}};
  }

  Result<OpenSource> open(const SourceSpec& spec, const SourceInputs& inputs) const {
    PENSTOCK_TRY(check_weights(spec.sources.size()));
    OpenSource out;
    PENSTOCK_TRY_ASSIGN(Sources children, open_children(spec, inputs, out));
    for (std::size_t i = 0; i < children.size(); ++i) {
      out.parts.push_back({weights[i], children[i]->shard_sizes().size()});
    }
    out.until = until;
    PENSTOCK_TRY_ASSIGN(out.source, source::make_concat_source(std::move(children)));
    return out;
  }

 private:
  Status check_weights(std::size_t num_sources) const {
    if (weights.size() != num_sources) {
      return invalid_argument(weights.size(), " weights for ", num_sources,
                              " sources, expected one for each");
    }
    for (const double weight : weights) {
      if (!std::isfinite(weight) || weight <= 0) {
        return invalid_argument("a weight is ", weight, ", expected a number above 0");
      }
    }
    return {};
  }
};

struct FilterKind : source::FilterOptions {
  static constexpr std::string_view kName = "filter";
  static constexpr std::string_view kDoc = "Some samples of a source, chosen without reading them.";

  static constexpr auto fields() {
    return std::tuple{
        Field{"key", &FilterKind::key,
              "Patterns (* ? [a-z]) for the sample's key or path, with ; between."},
        Field{"min_bytes", &FilterKind::min_bytes, "The smallest sample in storage."},
        Field{"max_bytes", &FilterKind::max_bytes, "The largest sample in storage."},
        Field{"field", &FilterKind::field, "Whose bytes count; empty: those of all fields."},
        Field{"labels", &FilterKind::labels, "Labels that remain."},
        Field{"classes", &FilterKind::classes, "Names of classes that remain."},
        Field{"label_field", &FilterKind::label_field, "Where the labels are."}};
  }

  Result<OpenSource> open(const SourceSpec& spec, const SourceInputs& inputs) const {
    if (spec.sources.size() != 1) {
      return invalid_argument(spec.sources.size(), " sources, expected one");
    }
    OpenSource out;
    PENSTOCK_TRY_ASSIGN(Sources children, open_children(spec, inputs, out));
    PENSTOCK_TRY_ASSIGN(out.source, source::make_filtered_source(std::move(children[0]), *this));
    return out;
  }
};

template <class Kind>
Result<OpenSource> open_kind(const SourceSpec& spec, const SourceInputs& inputs) {
  Kind kind;
  PENSTOCK_TRY(parse_fields(spec.options, kind).at(Kind::kName));
  return kind.open(spec, inputs).at(Kind::kName);
}

struct KindEntry {
  std::string_view name;
  std::string_view doc;
  std::vector<FieldDoc> (*options)();
  Result<OpenSource> (*open)(const SourceSpec&, const SourceInputs&);
};

template <class Kind>
constexpr KindEntry entry() {
  return {Kind::kName, Kind::kDoc, &field_docs<Kind>, &open_kind<Kind>};
}

constexpr std::array kKinds = {entry<FolderKind>(), entry<TarKind>(),       entry<TfrecordKind>(),
                               entry<ArraysKind>(), entry<SyntheticKind>(), entry<ConcatKind>(),
                               entry<ZipKind>(),    entry<MixKind>(),       entry<FilterKind>()};

}  // namespace

Result<OpenSource> open_source(const SourceSpec& spec, const SourceInputs& inputs) {
  std::string known;
  for (const KindEntry& kind : kKinds) {
    if (kind.name == spec.kind) return kind.open(spec, inputs);
    known += concat(known.empty() ? "" : ", ", kind.name);
  }
  return invalid_argument("no source '", spec.kind, "', expected one of: ", known);
}

std::vector<SourceDoc> source_docs() {
  std::vector<SourceDoc> docs;
  docs.reserve(std::size(kKinds));
  for (const KindEntry& kind : kKinds) docs.push_back({kind.name, kind.doc, kind.options()});
  return docs;
}

}  // namespace penstock::pipeline
