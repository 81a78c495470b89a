// Looking into sources, and small ones to look into. Included by tests only.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/source/source.h"

namespace penstock::source {

// The bytes of a field of storage, or the message of the failure.
inline std::string content(const Source& source, std::uint64_t sample, int field) {
  const auto piece = source.locate(sample, field);
  if (!piece.ok()) return std::string(piece.status().message());
  std::string bytes(piece->size_bytes, '\0');
  storage::ReadRequest request{.path = source.object_path(piece->object),
                               .offset = piece->offset,
                               .out = std::as_writable_bytes(std::span(bytes))};
  source.storage(piece->object)->read({&request, 1});
  EXPECT_TRUE(request.status.ok()) << request.status.message();
  return bytes;
}

inline std::vector<std::string> sample_names(const Source& source) {
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < source.num_samples(); ++i) names.push_back(source.sample_name(i));
  return names;
}

// The source of a Result that must be one.
inline std::unique_ptr<Source> opened(Result<std::unique_ptr<Source>> source) {
  EXPECT_TRUE(source.ok()) << source.status().message();
  return source.ok() ? *std::move(source) : nullptr;
}

// Sources as a list, for those made of several.
template <class... Sources>
std::vector<std::unique_ptr<Source>> list_of(Sources... sources) {
  std::vector<std::unique_ptr<Source>> list;
  (list.push_back(std::move(sources)), ...);
  return list;
}

// A column of whole numbers; `numbers` must outlive the source.
inline std::unique_ptr<Source> number_source(const std::string& name,
                                             const std::vector<std::int64_t>& numbers) {
  std::vector<ArrayColumn> columns;
  columns.push_back({{.name = name, .kind = FieldKind::kArray, .dtype = DType::kI64},
                     std::as_bytes(std::span(numbers))});
  return opened(make_array_source(std::move(columns)));
}

inline std::int64_t number(const Source& source, std::uint64_t sample, int field) {
  std::int64_t value = 0;
  const Bytes row = source.row(sample, field);
  EXPECT_EQ(row.size(), sizeof value);
  std::memcpy(&value, row.data(), sizeof value);
  return value;
}

// Two records of 8 bytes in one object. Feature i is the first i + 1 bytes of the record.
class RecordSource final : public Source {
 public:
  explicit RecordSource(std::vector<std::string> names) {
    for (std::string& name : names) {
      fields_.push_back({.name = std::move(name), .kind = FieldKind::kFeature});
    }
  }

  std::uint64_t num_samples() const override { return sizes_[0]; }
  std::span<const std::uint64_t> shard_sizes() const override { return sizes_; }
  std::span<const FieldInfo> fields() const override { return fields_; }
  Result<Piece> locate(std::uint64_t sample, int) const override { return Piece{0, sample * 8, 8}; }
  const storage::Storage* storage(std::uint32_t) const override { return nullptr; }
  std::string_view object_path(std::uint32_t) const override { return "records"; }
  Status parse_record(std::uint64_t sample, Bytes record, std::span<const int> fields,
                      std::span<format::Feature> out) const override {
    if (sample >= num_samples()) return corrupt("no sample ", sample);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      out[i] = {format::FeatureKind::kBytes, record.first(static_cast<std::size_t>(fields[i]) + 1)};
    }
    return {};
  }
  Bytes row(std::uint64_t, int) const override { return {}; }
  std::string sample_name(std::uint64_t sample) const override { return concat("record ", sample); }
  Origin origin(std::uint64_t sample) const override { return {"records", sample, {}}; }
  std::span<const std::string> classes() const override { return {}; }
  std::uint64_t fingerprint() const override { return 1; }
  std::uint64_t memory_bytes() const override { return 0; }

 private:
  std::array<std::uint64_t, 1> sizes_ = {2};
  std::vector<FieldInfo> fields_;
};

}  // namespace penstock::source
