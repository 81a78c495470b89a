// A folder of images as a dataset: one sample for each file, in path order.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "penstock/base/hash.h"
#include "penstock/source/folder_index.h"
#include "penstock/source/index_file.h"
#include "penstock/source/labels.h"
#include "penstock/source/path.h"
#include "penstock/source/source.h"

namespace penstock::source {
namespace {

// The failure of looking at `root`, with what was expected there.
Status explain(const Status& status, const storage::Storage& storage, std::string_view root) {
  if (status.code() != Code::kNotFound) return status;
  if (storage.stat(root).ok()) {
    return invalid_argument(root, " is a file, expected a folder of images");
  }
  return not_found("no folder at ", root, ", expected a folder of images");
}

Result<FolderIndex> make_index(const storage::Storage& storage, std::string_view root,
                               const ProgressFn& progress) {
  auto index = index_folder(storage, root, progress);
  if (!index.ok()) return explain(index.status(), storage, root);
  if (index->names.empty()) {
    return not_found("no images in ", root, ", expected files ending in ", image_endings());
  }
  return index;
}

// A root like "." or "/" has no name to keep anything under beside it, so that only the cache is
// left. `make` is index_places or entry_point_places.
IndexPlaces places_of(std::string_view root, std::string_view cache_folder,
                      decltype(&index_places) make) {
  const std::string_view name = base_name(root);
  IndexPlaces places = make(folder_of(root), name, cache_folder);
  if (name.empty() || name == "." || name == "..") places.beside.clear();
  return places;
}

// The index that is kept, if the folders are as they were, or a new one. A storage without times
// of folders gets a new one always: comparing a listing would cost as much as making it.
Result<FolderIndex> known_or_new_index(const storage::Storage& storage, std::string_view root,
                                       const FolderOptions& options, const ProgressFn& progress) {
  const auto time = storage.folder_modified_ns(root);
  if (!time.ok()) return explain(time.status(), storage, root);
  if (!options.uses_index_cache || *time == 0) return make_index(storage, root, progress);

  const IndexPlaces places = places_of(root, options.cache_folder, &index_places);
  const auto believe = [&](const FolderIndex& index) { return is_current(index, storage, root); };
  if (auto known = load_index(storage, places, decode_folder_index, believe)) {
    return *std::move(known);
  }
  PENSTOCK_TRY_ASSIGN(FolderIndex index, make_index(storage, root, progress));
  save_index(storage, places, encode_index(index));
  return index;
}

StringColumn full_paths(const FolderIndex& index, std::string_view root) {
  const auto prefix_of = [&](std::size_t run) {
    std::string prefix = join_path(root, index.folders[index.run_folders[run]]);
    return prefix.ends_with('/') ? prefix : prefix + '/';
  };
  std::size_t num_characters = index.names.text().size();
  for (std::size_t run = 0; run < index.run_folders.size(); ++run) {
    num_characters += index.run_lengths[run] * prefix_of(run).size();
  }
  StringColumn paths;
  paths.reserve(index.names.size(), num_characters);
  std::size_t image = 0;
  for (std::size_t run = 0; run < index.run_folders.size(); ++run) {
    const std::string prefix = prefix_of(run);
    for (std::uint32_t i = 0; i < index.run_lengths[run]; ++i) {
      paths.push_back(prefix, index.names[image++]);
    }
  }
  return paths;
}

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('/')); }

// Every folder directly below the root is a class, in sorted order of their names. One without
// images is refused: left out, it would renumber the others.
Result<Labels> labels_by_folder(const FolderIndex& index, std::string_view root) {
  std::map<std::string_view, std::int64_t> numbers;
  for (std::size_t i = 0; i < index.folders.size(); ++i) {
    if (!index.folders[i].empty()) numbers.emplace(first_part(index.folders[i]), -1);
  }
  std::int64_t next = 0;
  Labels labels;
  for (auto& [name, number] : numbers) {
    number = next++;
    labels.classes.emplace_back(name);
  }

  std::vector<bool> has_images(labels.classes.size());
  labels.numbers.reserve(index.names.size());
  for (std::size_t run = 0; run < index.run_folders.size(); ++run) {
    const std::string_view folder = index.folders[index.run_folders[run]];
    if (folder.empty()) {
      return invalid_argument(join_path(root, index.names[labels.numbers.size()]),
                              " lies in no class folder, expected ", root,
                              "/<class>/<image>, or labels \"none\" or a table");
    }
    const std::int64_t number = numbers.find(first_part(folder))->second;
    labels.numbers.insert(labels.numbers.end(), index.run_lengths[run], number);
    has_images[static_cast<std::size_t>(number)] = true;
  }
  const auto empty = std::ranges::find(has_images, false);
  if (empty != has_images.end()) {
    const auto number = static_cast<std::size_t>(empty - has_images.begin());
    return invalid_argument("no images in class folder ", join_path(root, labels.classes[number]),
                            ", expected one or more in every folder of ", root);
  }
  return labels;
}

Result<Labels> labels_by_table(const storage::Storage& storage, const std::string& table_path,
                               const StringColumn& paths, std::size_t prefix) {
  const bool is_csv = table_path.ends_with(".csv");
  if (!is_csv && !table_path.ends_with(".jsonl")) {
    return invalid_argument("labels is '", table_path,
                            "', expected \"classes\", \"none\", or a .csv or .jsonl file");
  }
  PENSTOCK_TRY_ASSIGN(const std::vector<std::byte> bytes, read_object(storage, table_path));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  PENSTOCK_TRY_ASSIGN(const LabelTable table,
                      (is_csv ? parse_csv_labels(text) : parse_json_labels(text)).at(table_path));
  return labels_of_files(table, paths, prefix).at(table_path);
}

// Paths below the root, so that a folder may be moved.
std::uint64_t fingerprint_of(const FolderIndex& index, const Labels& labels) {
  std::uint64_t hash = hash_text("folder");
  for (std::size_t run = 0; run < index.run_folders.size(); ++run) {
    hash = hash_text(index.folders[index.run_folders[run]], hash);
    hash = combine_hash(hash, index.run_lengths[run]);
  }
  hash = hash_text(index.names.text(), hash);
  hash = hash_bytes(std::as_bytes(std::span(index.names.ends())), hash);
  hash = hash_bytes(std::as_bytes(std::span(labels.numbers)), hash);
  for (const std::string& name : labels.classes) hash = hash_text(name, hash);
  return hash;
}

class FolderSource final : public Source {
 public:
  FolderSource(const storage::Storage& storage, std::string_view root,
               std::optional<IndexPlaces> entry_points, FolderIndex index, StringColumn paths,
               Labels labels)
      : storage_(storage),
        root_(root),
        entry_points_(std::move(entry_points)),
        fingerprint_(fingerprint_of(index, labels)),
        paths_(std::move(paths)),
        sizes_(std::move(index.sizes_bytes)),
        labels_(std::move(labels)),
        num_samples_(sizes_.size()) {
    fields_.push_back({.name = "image", .kind = FieldKind::kBytes});
    if (!labels_.numbers.empty()) {
      fields_.push_back({.name = "label", .kind = FieldKind::kArray, .dtype = DType::kI64});
    }
  }

  std::uint64_t num_samples() const override { return num_samples_; }
  std::span<const std::uint64_t> shard_sizes() const override { return {&num_samples_, 1}; }
  std::span<const FieldInfo> fields() const override { return fields_; }

  Result<Piece> locate(std::uint64_t sample, int field) const override {
    if (field != 0) return internal_error("field ", field, " of a folder lies in no storage");
    return Piece{static_cast<std::uint32_t>(sample), 0, sizes_[sample]};
  }
  std::uint64_t num_objects() const override { return num_samples_; }
  const storage::Storage* storage(std::uint32_t) const override { return &storage_; }
  std::string_view object_path(std::uint32_t object) const override { return paths_[object]; }
  const IndexPlaces* entry_point_places(std::uint32_t) const override {
    return entry_points_ ? &*entry_points_ : nullptr;
  }

  Bytes row(std::uint64_t sample, int field) const override {
    if (field != 1) return {};
    return std::as_bytes(std::span(labels_.numbers).subspan(sample, 1));
  }

  std::string sample_name(std::uint64_t sample) const override {
    return std::string(paths_[sample]);
  }
  Origin origin(std::uint64_t sample) const override {
    const std::size_t prefix = root_.size() + (root_.ends_with('/') ? 0 : 1);
    return {root_, sample, std::string(paths_[sample].substr(prefix))};
  }
  std::span<const std::string> classes() const override { return labels_.classes; }
  std::uint64_t fingerprint() const override { return fingerprint_; }
  std::uint64_t memory_bytes() const override {
    return paths_.memory_bytes() + (sizes_.capacity() + labels_.numbers.capacity()) * 8;
  }

 private:
  const storage::Storage& storage_;
  std::string root_;
  std::optional<IndexPlaces> entry_points_;
  std::uint64_t fingerprint_;
  StringColumn paths_;
  std::vector<std::uint64_t> sizes_;
  Labels labels_;
  std::uint64_t num_samples_;
  std::vector<FieldInfo> fields_;
};

}  // namespace

Result<std::unique_ptr<Source>> make_folder_source(const storage::Storage& storage,
                                                   const FolderOptions& options,
                                                   const ProgressFn& progress) {
  if (options.path.empty()) return invalid_argument("path is empty, expected a folder of images");
  const std::string_view root = without_trailing_slashes(options.path);
  PENSTOCK_TRY_ASSIGN(FolderIndex index, known_or_new_index(storage, root, options, progress));
  StringColumn paths = full_paths(index, root);
  Labels labels;
  if (options.labels == "classes") {
    PENSTOCK_TRY_ASSIGN(labels, labels_by_folder(index, root));
  } else if (options.labels != "none") {
    const std::size_t prefix = root.size() + (root.ends_with('/') ? 0 : 1);
    PENSTOCK_TRY_ASSIGN(labels, labels_by_table(storage, options.labels, paths, prefix));
  }
  std::optional<IndexPlaces> entry_points;
  if (options.uses_index_cache) {
    entry_points = places_of(root, options.cache_folder, &entry_point_places);
  }
  return std::unique_ptr<Source>(
      std::make_unique<FolderSource>(storage, root, std::move(entry_points), std::move(index),
                                     std::move(paths), std::move(labels)));
}

}  // namespace penstock::source
