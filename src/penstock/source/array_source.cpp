// Rows in memory as a dataset: nothing is copied.
#include <algorithm>
#include <limits>
#include <utility>

#include "penstock/base/hash.h"
#include "penstock/source/source.h"

namespace penstock::source {
namespace {

// The size of one row, or 0 if it has no elements or more bytes than memory.
std::size_t row_bytes(const FieldInfo& info) {
  std::size_t bytes = size_bytes(info.dtype);
  for (const std::int64_t side : info.shape.sides()) {
    if (side <= 0) return 0;
    const auto length = static_cast<std::size_t>(side);
    if (bytes > std::numeric_limits<std::size_t>::max() / length) return 0;
    bytes *= length;
  }
  return bytes;
}

Status check_column(const ArrayColumn& column) {
  const FieldInfo& info = column.info;
  if (info.name.empty()) return invalid_argument("a column has no name");
  if (info.kind != FieldKind::kArray) {
    return invalid_argument("column ", info.name, " is of kind bytes, expected an array");
  }
  const std::size_t row = row_bytes(info);
  if (row == 0) {
    return invalid_argument("column ", info.name, " has rows of shape ", info.shape.text(),
                            ", expected sides of 1 or more");
  }
  if (column.rows.size() % row != 0) {
    return invalid_argument("column ", info.name, " has ", column.rows.size(),
                            " bytes, expected a multiple of ", row, " (", dtype_name(info.dtype),
                            " of shape ", info.shape.text(), ")");
  }
  return {};
}

Status check_columns(const std::vector<ArrayColumn>& columns) {
  if (columns.empty()) return invalid_argument("no columns, expected one or more arrays");
  for (const ArrayColumn& column : columns) PENSTOCK_TRY(check_column(column));
  const ArrayColumn& first = columns.front();
  const std::size_t rows = first.rows.size() / row_bytes(first.info);
  for (auto it = columns.begin(); it != columns.end(); ++it) {
    const std::size_t own = it->rows.size() / row_bytes(it->info);
    if (own != rows) {
      return invalid_argument("column ", it->info.name, " has ", own, " rows, expected ", rows,
                              " as in column ", first.info.name);
    }
    const auto same = [&](const ArrayColumn& other) { return other.info.name == it->info.name; };
    if (std::any_of(columns.begin(), it, same)) {
      return invalid_argument("two columns are named ", it->info.name);
    }
  }
  if (rows == 0) return invalid_argument("the arrays have no rows, expected one or more");
  return {};
}

class ArraySource final : public Source {
 public:
  explicit ArraySource(std::vector<ArrayColumn> columns) {
    for (ArrayColumn& column : columns) {
      columns_.push_back({column.rows, row_bytes(column.info)});
      fields_.push_back(std::move(column.info));
    }
    num_samples_ = columns_.front().rows.size() / columns_.front().row_bytes;
  }

  std::uint64_t num_samples() const override { return num_samples_; }
  std::span<const std::uint64_t> shard_sizes() const override { return {&num_samples_, 1}; }
  std::span<const FieldInfo> fields() const override { return fields_; }

  Result<Piece> locate(std::uint64_t, int field) const override {
    return internal_error("field ", field, " is an array and lies in no storage");
  }
  const storage::Storage* storage(std::uint32_t) const override { return nullptr; }
  std::string_view object_path(std::uint32_t) const override { return {}; }

  Bytes row(std::uint64_t sample, int field) const override {
    const Column& column = columns_[static_cast<std::size_t>(field)];
    return column.rows.subspan(sample * column.row_bytes, column.row_bytes);
  }

  std::string sample_name(std::uint64_t sample) const override { return concat("sample ", sample); }
  Origin origin(std::uint64_t sample) const override { return {"arrays", sample, {}}; }
  std::span<const std::string> classes() const override { return {}; }

  // The rows are somebody else's.
  std::uint64_t memory_bytes() const override { return 0; }

  // Arrays may be far too large to hash whole: names, types and up to 64 rows stand for them.
  std::uint64_t fingerprint() const override {
    constexpr std::uint64_t kRows = 64;
    std::uint64_t hash = combine_hash(hash_text("arrays"), num_samples_);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      hash = hash_text(fields_[i].name, hash);
      hash = combine_hash(hash, static_cast<std::uint64_t>(fields_[i].dtype));
      hash = hash_text(fields_[i].shape.text(), hash);
      const std::uint64_t step = (num_samples_ + kRows - 1) / kRows;
      for (std::uint64_t sample = 0; sample < num_samples_; sample += step) {
        hash = hash_bytes(row(sample, static_cast<int>(i)), hash);
      }
    }
    return hash;
  }

 private:
  struct Column {
    Bytes rows;
    std::size_t row_bytes = 0;
  };
  std::vector<Column> columns_;
  std::vector<FieldInfo> fields_;
  std::uint64_t num_samples_ = 0;
};

}  // namespace

Result<std::unique_ptr<Source>> make_array_source(std::vector<ArrayColumn> columns) {
  PENSTOCK_TRY(check_columns(columns));
  return std::unique_ptr<Source>(std::make_unique<ArraySource>(std::move(columns)));
}

}  // namespace penstock::source
