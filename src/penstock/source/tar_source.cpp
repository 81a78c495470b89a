// Tar shards as a dataset: consecutive members of one key are a sample, their extensions its
// fields.
#include <algorithm>
#include <limits>
#include <utility>

#include "penstock/base/hash.h"
#include "penstock/source/shard_indexer.h"
#include "penstock/source/shards.h"
#include "penstock/source/source.h"
#include "penstock/source/unpack.h"
#include "penstock/source/urls.h"

namespace penstock::source {
namespace {

struct TarFormat {
  using Index = ShardIndex;
  using Indexer = ShardIndexer;
  static constexpr Packing kPacking{
      .ending = ".tar", .num_first_bytes = 4, .compression_of = format::compression_of};
  static Result<ShardIndex> decode(Bytes bytes) { return decode_shard_index(bytes); }
};

using TarShard = Shard<ShardIndex>;

// Sorted by name, so that they do not depend on which shard comes first.
std::vector<FieldInfo> all_fields(const std::vector<TarShard>& shards) {
  std::vector<std::string_view> names;
  for (const TarShard& shard : shards) {
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
  TarSource(const storage::Storage& storage, std::vector<FieldInfo> fields,
            const ShardReaderOptions& options)
      : storage_(storage), fields_(std::move(fields)), shards_(options) {}

  void add(TarShard shard) {
    ShardIndex& index = shard.index;
    add_fingerprint(index);
    append_damages(shard, damages_);
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
    shards_.add(std::move(shard.name), std::move(shard.object), index.keys.size());
  }

  std::uint64_t num_samples() const override { return keys_.size(); }
  std::span<const std::uint64_t> shard_sizes() const override { return shards_.sizes(); }
  std::span<const FieldInfo> fields() const override { return fields_; }

  Result<Piece> locate(std::uint64_t sample, int field) const override {
    for (std::uint64_t part = first_part(sample); part < part_ends_[sample]; ++part) {
      if (part_fields_[part] == field) {
        return Piece{shards_.shard_of(sample), part_offsets_[part], part_sizes_[part]};
      }
    }
    return not_found("no field ", fields_[static_cast<std::size_t>(field)].name,
                     ", it has: ", field_names(sample));
  }
  const storage::Storage* storage(std::uint32_t) const override { return &storage_; }
  std::string_view object_path(std::uint32_t object) const override { return shards_.path(object); }
  std::uint64_t object_bytes(std::uint32_t object) const override {
    return shards_.object_bytes(object);
  }
  const IndexPlaces* entry_point_places(std::uint32_t object) const override {
    return shards_.entry_point_places(object);
  }

  Bytes row(std::uint64_t, int) const override { return {}; }

  std::string sample_name(std::uint64_t sample) const override {
    return concat(shards_.name(shards_.shard_of(sample)), ": ", keys_[sample]);
  }
  Origin origin(std::uint64_t sample) const override {
    return {shards_.name(shards_.shard_of(sample)), shards_.record_of(sample),
            std::string(keys_[sample])};
  }
  std::span<const std::string> classes() const override { return {}; }
  std::uint64_t fingerprint() const override { return fingerprint_; }
  std::span<const Damage> damages() const override { return damages_; }
  std::uint64_t memory_bytes() const override {
    return keys_.memory_bytes() + part_fields_.capacity() * sizeof(std::uint16_t) +
           (part_ends_.capacity() + part_offsets_.capacity() + part_sizes_.capacity()) * 8;
  }

 private:
  std::uint64_t first_part(std::uint64_t sample) const {
    return sample == 0 ? 0 : part_ends_[sample - 1];
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
  ShardTable shards_;
  StringColumn keys_;
  std::vector<std::uint64_t> part_ends_;  // of each sample, as in ShardIndex
  std::vector<std::uint16_t> part_fields_;
  std::vector<std::uint64_t> part_offsets_;
  std::vector<std::uint64_t> part_sizes_;
  std::vector<Damage> damages_;
  std::uint64_t fingerprint_ = hash_text("tar");
};

}  // namespace

Result<std::unique_ptr<Source>> make_tar_source(const storage::Storage& storage,
                                                const TarOptions& options,
                                                const ProgressFn& progress) {
  PENSTOCK_TRY_ASSIGN(const auto objects, expand_urls(storage, options.urls));
  const ShardReaderOptions reader_options{options.uses_index_cache, options.cache_folder};
  PENSTOCK_TRY_ASSIGN(std::vector<TarShard> shards,
                      ShardReader<TarFormat>(storage, reader_options, progress).read(objects));
  std::vector<FieldInfo> fields = all_fields(shards);
  if (fields.size() > std::numeric_limits<std::uint16_t>::max()) {
    return unsupported("the shards have ", fields.size(), " different extensions, expected fewer");
  }
  auto source = std::make_unique<TarSource>(storage, std::move(fields), reader_options);
  for (TarShard& shard : shards) source->add(std::move(shard));
  if (source->num_samples() == 0) {
    return no_samples(objects, source->damages(), "members such as cat.jpg and cat.cls");
  }
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace penstock::source
