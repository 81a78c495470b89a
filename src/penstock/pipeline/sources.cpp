// The one list of source kinds.
#include "penstock/pipeline/sources.h"

#include <array>
#include <cstdint>
#include <utility>

#include "penstock/storage/cache_folder.h"
#include "penstock/storage/catalog.h"

namespace penstock::pipeline {
namespace {

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
    PENSTOCK_TRY_ASSIGN(out.storage, storage::make_storage(spec.urls[0]));
    PENSTOCK_TRY_ASSIGN(out.source,
                        source::make_folder_source(*out.storage,
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
    PENSTOCK_TRY_ASSIGN(out.storage, storage::make_storage(spec.urls[0]));
    PENSTOCK_TRY_ASSIGN(out.source,
                        source::make_tar_source(*out.storage,
                                                {.urls = spec.urls,
                                                 .uses_index_cache = index_cache,
                                                 .cache_folder = storage::user_cache_folder()},
                                                inputs.progress));
    return out;
  }
};

struct ArraysKind {
  static constexpr std::string_view kName = "arrays";
  static constexpr std::string_view kDoc = "Arrays in memory, one row a sample.";
  static constexpr auto fields() { return std::tuple{}; }

  static Result<OpenSource> open(const SourceSpec&, const SourceInputs& inputs) {
    OpenSource out;
    PENSTOCK_TRY_ASSIGN(out.source, source::make_array_source(inputs.arrays));
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

constexpr std::array kKinds = {entry<FolderKind>(), entry<TarKind>(), entry<ArraysKind>(),
                               entry<SyntheticKind>()};

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
