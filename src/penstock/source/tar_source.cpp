// Tar shards as a dataset: consecutive members of one key are a sample, their extensions its
// fields.
#include <algorithm>
#include <limits>
#include <utility>

#include "penstock/base/hash.h"
#include "penstock/source/index_file.h"
#include "penstock/source/path.h"
#include "penstock/source/shard_indexer.h"
#include "penstock/source/source.h"
#include "penstock/source/unpack.h"
#include "penstock/source/urls.h"

namespace penstock::source {
namespace {

struct Shard {
  std::string name;              // as the user calls it
  std::uint64_t size_bytes = 0;  // of what the user calls so
  storage::ObjectInfo object;    // the plain tar
  ShardIndex index;
};

// Indexes shards, several at once, so that a storage can overlap their reads.
class ShardReader {
 public:
  ShardReader(const storage::Storage& storage, const TarOptions& options,
              const ProgressFn& progress)
      : storage_(storage), options_(options), progress_(progress) {}

  Result<std::vector<Shard>> read(const std::vector<storage::ObjectInfo>& objects) {
    for (const storage::ObjectInfo& object : objects) total_bytes_ += object.size_bytes;
    shards_.resize(objects.size());
    std::size_t next = 0;
    while (next < shards_.size() || !open_.empty()) {
      for (; next < shards_.size() && open_.size() < kShardsAtOnce; ++next) {
        PENSTOCK_TRY(begin_shard(shards_[next], objects[next]).at(objects[next].path));
      }
      PENSTOCK_TRY(read_windows());
    }
    return std::move(shards_);
  }

 private:
  static constexpr std::size_t kShardsAtOnce = 16;

  struct Open {
    Shard* shard;
    ShardIndexer indexer;
    std::vector<std::byte> window;
  };

  // Takes the index that is kept, or opens the shard to be read.
  Status begin_shard(Shard& shard, const storage::ObjectInfo& object) {
    shard.name = object.path;
    shard.size_bytes = object.size_bytes;
    const auto unpacked = [&](std::uint64_t bytes) { report(shard.name, done_bytes_ + bytes); };
    PENSTOCK_TRY_ASSIGN(shard.object,
                        plain_shard(storage_, object, options_.cache_folder, unpacked));
    if (keeps_index(shard)) {
      const auto believe = [&](const ShardIndex& index) {
        return index.shard_bytes == shard.object.size_bytes &&
               index.shard_time == shard.object.modified_ns;
      };
      auto known = load_index(storage_, places(shard), decode_shard_index, believe);
      if (known) {
        shard.index = *std::move(known);
        finish(shard);
        return {};
      }
    }
    open_.push_back({&shard, ShardIndexer(shard.object.size_bytes), {}});
    return {};
  }

  // One window of every open shard.
  Status read_windows() {
    if (open_.empty()) return {};
    std::vector<storage::ReadRequest> requests;
    for (Open& open : open_) {
      open.window.resize(open.indexer.wanted_bytes());
      requests.push_back(
          {.path = open.shard->object.path, .offset = open.indexer.position(), .out = open.window});
    }
    storage_.read(requests);
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const std::string& name = open_[i].shard->name;
      PENSTOCK_TRY(requests[i].status.at(name));
      PENSTOCK_TRY(open_[i].indexer.take(open_[i].window).at(name));
      if (open_[i].indexer.is_done()) end_shard(open_[i]);
    }
    std::erase_if(open_, [](const Open& open) { return open.indexer.is_done(); });
    report_reading();
    return {};
  }

  void end_shard(Open& open) {
    Shard& shard = *open.shard;
    shard.index = std::move(open.indexer).take_index();
    shard.index.shard_time = shard.object.modified_ns;
    if (keeps_index(shard)) save_index(storage_, places(shard), encode_index(shard.index));
    finish(shard);
  }

  void finish(const Shard& shard) {
    done_bytes_ += shard.size_bytes;
    report(shard.name, done_bytes_);
  }

  // An index without a time cannot be told from one of other bytes, so that it is not kept.
  bool keeps_index(const Shard& shard) const {
    return options_.uses_index_cache && shard.object.modified_ns != 0;
  }

  IndexPlaces places(const Shard& shard) const {
    const std::string& path = shard.object.path;
    return index_places(folder_of(path), base_name(path), options_.cache_folder);
  }

  void report_reading() const {
    std::uint64_t bytes = done_bytes_;
    for (const Open& open : open_) bytes += open.indexer.position();
    if (!open_.empty()) report(open_.front().shard->name, bytes);
  }

  void report(std::string_view what, std::uint64_t done) const {
    // Positions in an unpacked shard may be larger than the shard.
    if (progress_) progress_({what, std::min(done, total_bytes_), total_bytes_});
  }

  const storage::Storage& storage_;
  const TarOptions& options_;
  const ProgressFn& progress_;
  std::vector<Shard> shards_;
  std::vector<Open> open_;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t done_bytes_ = 0;
};

// Sorted by name, so that they do not depend on which shard comes first.
std::vector<FieldInfo> all_fields(const std::vector<Shard>& shards) {
  std::vector<std::string_view> names;
  for (const Shard& shard : shards) {
    for (std::size_t i = 0; i < shard.index.fields.size(); ++i) {
      names.push_back(shard.index.fields[i]);
    }
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  std::vector<FieldInfo> fields;
  fields.reserve(names.size());
  for (const std::string_view name : names) fields.push_back({.name = std::string(name)});
  return fields;
}

class TarSource final : public Source {
 public:
  TarSource(const storage::Storage& storage, std::vector<FieldInfo> fields)
      : storage_(storage), fields_(std::move(fields)) {}

  void add(Shard shard) {
    ShardIndex& index = shard.index;
    add_fingerprint(index);
    std::vector<std::uint16_t> numbers;
    for (std::size_t i = 0; i < index.fields.size(); ++i) {
      const auto it = std::ranges::lower_bound(fields_, index.fields[i], {}, &FieldInfo::name);
      numbers.push_back(static_cast<std::uint16_t>(it - fields_.begin()));
    }
    const std::uint64_t first_part = part_fields_.size();
    for (const std::uint64_t end : index.part_ends) part_ends_.push_back(first_part + end);
    for (const std::uint16_t field : index.part_fields) part_fields_.push_back(numbers[field]);
    part_offsets_.insert(part_offsets_.end(), index.part_offsets.begin(), index.part_offsets.end());
    part_sizes_.insert(part_sizes_.end(), index.part_sizes.begin(), index.part_sizes.end());
    keys_.append(index.keys);
    shard_names_.push_back(std::move(shard.name));
    object_paths_.push_back(std::move(shard.object.path));
    shard_sizes_.push_back(index.keys.size());
    shard_ends_.push_back(keys_.size());
  }

  std::uint64_t num_samples() const override { return keys_.size(); }
  std::span<const std::uint64_t> shard_sizes() const override { return shard_sizes_; }
  std::span<const FieldInfo> fields() const override { return fields_; }

  Result<Piece> locate(std::uint64_t sample, int field) const override {
    for (std::uint64_t part = first_part(sample); part < part_ends_[sample]; ++part) {
      if (part_fields_[part] == field) {
        return Piece{shard_of(sample), part_offsets_[part], part_sizes_[part]};
      }
    }
    return not_found(sample_name(sample), ": no field ",
                     fields_[static_cast<std::size_t>(field)].name,
                     ", it has: ", field_names(sample));
  }
  const storage::Storage* storage(std::uint32_t) const override { return &storage_; }
  std::string_view object_path(std::uint32_t object) const override {
    return object_paths_[object];
  }

  Bytes row(std::uint64_t, int) const override { return {}; }

  std::string sample_name(std::uint64_t sample) const override {
    return concat(shard_names_[shard_of(sample)], ": ", keys_[sample]);
  }
  Origin origin(std::uint64_t sample) const override {
    const std::uint32_t shard = shard_of(sample);
    const std::uint64_t first = shard == 0 ? 0 : shard_ends_[shard - 1];
    return {shard_names_[shard], sample - first, std::string(keys_[sample])};
  }
  std::span<const std::string> classes() const override { return {}; }
  std::uint64_t fingerprint() const override { return fingerprint_; }
  std::uint64_t memory_bytes() const override {
    return keys_.memory_bytes() + part_fields_.capacity() * sizeof(std::uint16_t) +
           (part_ends_.capacity() + part_offsets_.capacity() + part_sizes_.capacity()) * 8;
  }

 private:
  std::uint64_t first_part(std::uint64_t sample) const {
    return sample == 0 ? 0 : part_ends_[sample - 1];
  }

  std::uint32_t shard_of(std::uint64_t sample) const {
    const auto it = std::ranges::upper_bound(shard_ends_, sample);
    return static_cast<std::uint32_t>(it - shard_ends_.begin());
  }

  std::string field_names(std::uint64_t sample) const {
    std::string names;
    for (std::uint64_t part = first_part(sample); part < part_ends_[sample]; ++part) {
      names += concat(names.empty() ? "" : ", ", fields_[part_fields_[part]].name);
    }
    return names;
  }

  // Samples and their parts, not where the shards lie, so that they may be moved.
  void add_fingerprint(const ShardIndex& index) {
    const auto add_column = [this](const auto& column) {
      fingerprint_ = hash_bytes(std::as_bytes(std::span(column)), fingerprint_);
    };
    for (const StringColumn* strings : {&index.fields, &index.keys}) {
      add_column(strings->text());
      add_column(strings->ends());
    }
    add_column(index.part_ends);
    add_column(index.part_fields);
    add_column(index.part_sizes);
  }

  const storage::Storage& storage_;
  std::vector<FieldInfo> fields_;
  std::vector<std::string> shard_names_;
  std::vector<std::string> object_paths_;
  std::vector<std::uint64_t> shard_sizes_;
  std::vector<std::uint64_t> shard_ends_;  // the first sample behind each shard
  StringColumn keys_;
  std::vector<std::uint64_t> part_ends_;  // of each sample, as in ShardIndex
  std::vector<std::uint16_t> part_fields_;
  std::vector<std::uint64_t> part_offsets_;
  std::vector<std::uint64_t> part_sizes_;
  std::uint64_t fingerprint_ = hash_text("tar");
};

}  // namespace

Result<std::unique_ptr<Source>> make_tar_source(const storage::Storage& storage,
                                                const TarOptions& options,
                                                const ProgressFn& progress) {
  PENSTOCK_TRY_ASSIGN(const auto objects, expand_urls(storage, options.urls));
  PENSTOCK_TRY_ASSIGN(std::vector<Shard> shards,
                      ShardReader(storage, options, progress).read(objects));
  std::vector<FieldInfo> fields = all_fields(shards);
  if (fields.size() > std::numeric_limits<std::uint16_t>::max()) {
    return unsupported("the shards have ", fields.size(), " different extensions, expected fewer");
  }
  auto source = std::make_unique<TarSource>(storage, std::move(fields));
  for (Shard& shard : shards) source->add(std::move(shard));
  if (source->num_samples() == 0) {
    return not_found("no samples in ", shards.size(), " shards, the first ", objects.front().path,
                     ", expected members such as cat.jpg and cat.cls");
  }
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace penstock::source
