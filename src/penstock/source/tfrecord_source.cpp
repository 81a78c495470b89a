// TFRecord shards as a dataset: a record is a sample, the features of its tf.Example are its
// fields.
#include <algorithm>
#include <array>
#include <utility>

#include "penstock/base/hash.h"
#include "penstock/format/example_reader.h"
#include "penstock/format/tfrecord_reader.h"
#include "penstock/source/feature_fields.h"
#include "penstock/source/index.h"
#include "penstock/source/record_indexer.h"
#include "penstock/source/shards.h"
#include "penstock/source/source.h"
#include "penstock/source/unpack.h"
#include "penstock/source/urls.h"

namespace penstock::source {
namespace {

struct TfrecordFormat {
  using Index = RecordIndex;
  using Indexer = RecordIndexer;
  static constexpr Packing kPacking{.ending = ".tfrecord",
                                    .num_first_bytes = format::kTfrecordHeaderBytes,
                                    .compression_of = format::compression_of_tfrecords};
  static Result<RecordIndex> decode(Bytes bytes) { return decode_record_index(bytes); }
};

using TfrecordShard = Shard<RecordIndex>;

class TfrecordSource final : public Source {
 public:
  TfrecordSource(const storage::Storage& storage, bool checks_crc,
                 const ShardReaderOptions& options)
      : storage_(storage), checks_crc_(checks_crc), shards_(options) {}

  void add(TfrecordShard shard) {
    const RecordIndex& index = shard.index;
    // Records and their sizes, not where the shards lie, so that they may be moved.
    fingerprint_ = hash_bytes(std::as_bytes(std::span(index.sizes)), fingerprint_);
    append_damages(shard, damages_);
    offsets_.insert(offsets_.end(), index.offsets.begin(), index.offsets.end());
    sizes_.insert(sizes_.end(), index.sizes.begin(), index.sizes.end());
    shards_.add(std::move(shard.name), std::move(shard.object), index.offsets.size());
  }

  void set_fields(std::vector<FieldInfo> fields) {
    fields_ = std::move(fields);
    for (const FieldInfo& field : fields_) names_.push_back(field.name);
  }

  std::uint64_t num_samples() const override { return shards_.num_samples(); }
  std::span<const std::uint64_t> shard_sizes() const override { return shards_.sizes(); }
  std::span<const FieldInfo> fields() const override { return fields_; }

  // With the checksum behind the data, for parse_record().
  Result<Piece> locate(std::uint64_t sample, int) const override {
    return Piece{shards_.shard_of(sample), offsets_[sample],
                 sizes_[sample] + format::kTfrecordFooterBytes};
  }
  const storage::Storage* storage(std::uint32_t) const override { return &storage_; }
  std::string_view object_path(std::uint32_t object) const override { return shards_.path(object); }
  std::uint64_t object_bytes(std::uint32_t object) const override {
    return shards_.object_bytes(object);
  }
  const IndexPlaces* entry_point_places(std::uint32_t object) const override {
    return shards_.entry_point_places(object);
  }

  Status parse_record(std::uint64_t, Bytes record, std::span<const int> fields,
                      std::span<format::Feature> out) const override {
    PENSTOCK_TRY_ASSIGN(const Bytes example, data_of(record));
    PENSTOCK_TRY(format::find_features(example, names_, fields, out));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const FieldInfo& field = fields_[static_cast<std::size_t>(fields[i])];
      const format::FeatureKind expected = feature_kind(field);
      if (out[i].kind == expected) continue;
      if (out[i].kind != format::FeatureKind::kMissing) {
        return corrupt("feature ", field.name, " is of kind ", feature_kind_name(out[i].kind),
                       ", expected ", feature_kind_name(expected));
      }
      // A sequence of no steps is there, and does not say of which kind it is.
      if (out[i].is_sequence) out[i].kind = expected;
    }
    return {};
  }

  // The data of a record as locate() finds it.
  Result<Bytes> data_of(Bytes record) const {
    if (checks_crc_) return format::checked_tfrecord(record);
    if (record.size() < format::kTfrecordFooterBytes) {
      return internal_error("a record of ", record.size(), " bytes");
    }
    return record.first(record.size() - format::kTfrecordFooterBytes);
  }

  Bytes row(std::uint64_t, int) const override { return {}; }

  std::string sample_name(std::uint64_t sample) const override {
    return concat(shards_.name(shards_.shard_of(sample)), ": record ", shards_.record_of(sample));
  }
  Origin origin(std::uint64_t sample) const override {
    return {shards_.name(shards_.shard_of(sample)), shards_.record_of(sample), {}};
  }
  std::span<const std::string> classes() const override { return {}; }
  std::uint64_t fingerprint() const override { return fingerprint_; }
  std::span<const Damage> damages() const override { return damages_; }
  std::uint64_t memory_bytes() const override {
    return (offsets_.capacity() + sizes_.capacity()) * sizeof(std::uint64_t);
  }

 private:
  const storage::Storage& storage_;
  bool checks_crc_;
  std::vector<FieldInfo> fields_;
  std::vector<std::string> names_;  // of the fields
  ShardTable shards_;
  std::vector<std::uint64_t> offsets_;  // of each sample's data
  std::vector<std::uint64_t> sizes_;
  std::vector<Damage> damages_;
  std::uint64_t fingerprint_ = hash_text("tfrecord");
};

// What the first few records that can be read have.
Result<std::vector<FieldInfo>> find_fields(const TfrecordSource& source) {
  constexpr std::uint64_t kNumRecords = 8;
  std::vector<FieldInfo> fields;
  Status first_failure;
  std::vector<std::byte> record;
  for (std::uint64_t sample = 0; sample < std::min(kNumRecords, source.num_samples()); ++sample) {
    PENSTOCK_TRY_ASSIGN(const Piece piece, source.locate(sample, 0));
    record.resize(piece.size_bytes);
    std::array requests = {storage::ReadRequest{
        .path = source.object_path(piece.object), .offset = piece.offset, .out = record}};
    source.storage(piece.object)->read(requests);
    PENSTOCK_TRY(requests[0].status.at(source.sample_name(sample)));
    const auto data = source.data_of(record);
    const Status status = data.ok() ? add_feature_fields(*data, fields) : data.status();
    if (first_failure.ok()) first_failure = status.at(source.sample_name(sample));
  }
  if (!fields.empty()) return fields;
  PENSTOCK_TRY(first_failure);
  return corrupt(source.sample_name(0), ": no features, expected a tf.Example");
}

}  // namespace

Result<std::unique_ptr<Source>> make_tfrecord_source(const storage::Storage& storage,
                                                     const TfrecordOptions& options,
                                                     const ProgressFn& progress) {
  PENSTOCK_TRY_ASSIGN(std::vector<FieldInfo> fields, parse_feature_fields(options.features));
  PENSTOCK_TRY_ASSIGN(const auto objects, expand_urls(storage, options.urls));
  const ShardReaderOptions reader_options{options.uses_index_cache, options.cache_folder};
  ShardReader<TfrecordFormat> reader(storage, reader_options, progress);
  PENSTOCK_TRY_ASSIGN(std::vector<TfrecordShard> shards, reader.read(objects));
  auto source = std::make_unique<TfrecordSource>(storage, options.checks_crc, reader_options);
  for (TfrecordShard& shard : shards) source->add(std::move(shard));
  if (source->num_samples() == 0) {
    return no_samples(objects, source->damages(), "TFRecord files");
  }
  if (fields.empty()) {
    PENSTOCK_TRY_ASSIGN(fields, find_fields(*source));
  }
  source->set_fields(std::move(fields));
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace penstock::source
