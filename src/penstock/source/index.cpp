// Indexes to bytes and back. Bytes that come back are not trusted: a file may be cut, foreign, or
// written by somebody else.
#include "penstock/source/index.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "penstock/base/hash.h"
#include "penstock/format/tfrecord_reader.h"
#include "penstock/source/path.h"

namespace penstock::source {
namespace {

constexpr std::string_view kMagic = "PENSTOCK";
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kHeaderBytes = 24;

enum class Kind : std::uint32_t { kFolder = 1, kShard = 2, kRecords = 3 };

class Writer {
 public:
  explicit Writer(Kind kind) : bytes_(kHeaderBytes) {
    std::memcpy(bytes_.data(), kMagic.data(), kMagic.size());
    store(8, kVersion);
    store(12, static_cast<std::uint32_t>(kind));
  }

  template <class Number>
  void number(Number value) {
    const std::size_t position = bytes_.size();
    bytes_.resize(position + sizeof value);
    store(position, value);
  }

  template <class Number>
  void column(const std::vector<Number>& values) {
    number(std::uint64_t{values.size()});
    std::size_t position = bytes_.size();
    bytes_.resize(position + values.size() * sizeof(Number));
    for (const Number value : values) {
      store(position, value);
      position += sizeof value;
    }
  }

  void column(const StringColumn& strings) {
    number(std::uint64_t{strings.text().size()});
    const Bytes text = std::as_bytes(std::span(strings.text()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    column(strings.ends());
  }

  void columns(const DamageColumns& damages) {
    column(damages.offsets);
    column(damages.keys);
    column(damages.messages);
  }

  std::vector<std::byte> finish() && {
    store(16, hash_bytes(Bytes(bytes_).subspan(kHeaderBytes)));
    return std::move(bytes_);
  }

 private:
  template <class Number>
  void store(std::size_t position, Number value) {
    const auto bits = static_cast<std::make_unsigned_t<Number>>(value);
    for (std::size_t i = 0; i < sizeof value; ++i) {
      bytes_[position + i] = static_cast<std::byte>(bits >> (8 * i));
    }
  }

  std::vector<std::byte> bytes_;
};

// Every read is checked against what is left. After the first failure all reads fail, so that
// callers check once.
class Reader {
 public:
  explicit Reader(Bytes bytes) : rest_(bytes) {}

  template <class Number>
  void number(Number& out) {
    const Bytes bytes = take(1, sizeof out);
    if (!bytes.empty()) out = load<Number>(bytes.data());
  }

  template <class Number>
  void column(std::vector<Number>& out) {
    std::uint64_t count = 0;
    number(count);
    const Bytes bytes = take(count, sizeof(Number));
    out.resize(bytes.size() / sizeof(Number));
    const std::byte* from = bytes.data();
    for (Number& value : out) {
      value = load<Number>(from);
      from += sizeof(Number);
    }
  }

  void column(StringColumn& out) {
    std::uint64_t length = 0;
    number(length);
    const Bytes characters = take(length, 1);
    std::string text(reinterpret_cast<const char*>(characters.data()), characters.size());
    std::vector<std::uint64_t> ends;
    column(ends);
    auto strings = StringColumn::from_parts(std::move(text), std::move(ends));
    if (strings) {
      out = *std::move(strings);
    } else {
      is_good_ = false;
    }
  }

  void columns(DamageColumns& out) {
    column(out.offsets);
    column(out.keys);
    column(out.messages);
  }

  // Nothing failed and nothing is left.
  Status finish() const {
    if (is_good_ && rest_.empty()) return {};
    return corrupt("index: a column does not fit into the file");
  }

 private:
  // Empty if there are not so many.
  Bytes take(std::uint64_t count, std::size_t element_bytes) {
    if (!is_good_ || count > rest_.size() / element_bytes) {
      is_good_ = false;
      return {};
    }
    const Bytes taken = rest_.first(count * element_bytes);
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

  template <class Number>
  static Number load(const std::byte* from) {
    std::make_unsigned_t<Number> bits = 0;
    for (std::size_t i = 0; i < sizeof bits; ++i) {
      bits |= static_cast<std::make_unsigned_t<Number>>(
          static_cast<std::make_unsigned_t<Number>>(from[i]) << (8 * i));
    }
    return static_cast<Number>(bits);
  }

  Bytes rest_;
  bool is_good_ = true;
};

// What stands behind the header, if the header and the checksum are right.
Result<Bytes> checked_body(Bytes bytes, Kind kind) {
  if (bytes.size() < kHeaderBytes || std::memcmp(bytes.data(), kMagic.data(), 8) != 0) {
    return corrupt("index: not an index of penstock");
  }
  Reader header(bytes.subspan(8, kHeaderBytes - 8));
  std::uint32_t version = 0;
  std::uint32_t found_kind = 0;
  std::uint64_t checksum = 0;
  header.number(version);
  header.number(found_kind);
  header.number(checksum);
  if (version != kVersion) {
    return unsupported("index: version ", version, ", expected ", kVersion);
  }
  if (found_kind != static_cast<std::uint32_t>(kind)) return corrupt("index: of another kind");
  const Bytes body = bytes.subspan(kHeaderBytes);
  if (hash_bytes(body) != checksum) return corrupt("index: wrong checksum");
  return body;
}

Status bad_index(std::string_view what) { return corrupt("index: ", what); }

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos && !name.starts_with('.');
}

// "" or plain names with slashes between: nothing that leads out of the root.
bool is_folder_path(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (!is_plain_name(path.substr(0, slash))) return false;
    if (slash + 1 == path.size()) return false;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return true;
}

Status check_folders(const FolderIndex& index) {
  const std::size_t num_folders = index.folders.size();
  if (num_folders == 0 || index.folder_times.size() != num_folders) {
    return bad_index("folders and times differ in number");
  }
  for (std::size_t i = 0; i < num_folders; ++i) {
    if (!is_folder_path(index.folders[i])) return bad_index("a folder has no proper path");
  }
  return {};
}

Status check_images(const FolderIndex& index) {
  if (index.names.size() != index.sizes_bytes.size()) {
    return bad_index("names and sizes differ in number");
  }
  std::string last_path;
  std::size_t image = 0;
  for (std::size_t run = 0; run < index.run_folders.size(); ++run) {
    const std::size_t length = index.run_lengths[run];
    if (index.run_folders[run] >= index.folders.size()) return bad_index("a run has no folder");
    if (length == 0 || length > index.names.size() - image) return bad_index("a run has no names");
    const std::string_view folder = index.folders[index.run_folders[run]];
    std::string first_path = join_path(folder, index.names[image]);
    if (run > 0 && first_path <= last_path) return bad_index("images are not in path order");
    for (std::size_t i = image; i < image + length; ++i) {
      if (!is_plain_name(index.names[i])) return bad_index("an image has no proper name");
      const bool is_in_order = i == image || index.names[i - 1] < index.names[i];
      if (!is_in_order) return bad_index("images are not in path order");
    }
    image += length;
    last_path = join_path(folder, index.names[image - 1]);
  }
  if (image != index.names.size()) return bad_index("an image lies in no run");
  return {};
}

Status check_fields(const StringColumn& fields) {
  std::vector<std::string_view> sorted;
  sorted.reserve(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) sorted.push_back(fields[i]);
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return {};
  return bad_index("a field stands twice");
}

Status check_sample(const ShardIndex& index, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t part = begin; part < end; ++part) {
    if (index.part_fields[part] >= index.fields.size()) return bad_index("a part has no field");
    const auto first = index.part_fields.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto current = index.part_fields.begin() + static_cast<std::ptrdiff_t>(part);
    if (std::find(first, current, *current) != current) {
      return bad_index("a sample has a field twice");
    }
    const std::uint64_t offset = index.part_offsets[part];
    if (offset > index.shard_bytes || index.part_sizes[part] > index.shard_bytes - offset) {
      return bad_index("a part lies outside of the shard");
    }
  }
  return {};
}

Status check_damages(const DamageColumns& damages, std::uint64_t shard_bytes) {
  if (damages.keys.size() != damages.size() || damages.messages.size() != damages.size()) {
    return bad_index("columns differ in length");
  }
  const auto is_outside = [&](std::uint64_t offset) { return offset > shard_bytes; };
  if (std::ranges::any_of(damages.offsets, is_outside)) {
    return bad_index("a damage lies outside of the shard");
  }
  return {};
}

Status check_shard(const ShardIndex& index) {
  const std::size_t num_parts = index.part_fields.size();
  if (index.part_offsets.size() != num_parts || index.part_sizes.size() != num_parts ||
      index.part_ends.size() != index.keys.size()) {
    return bad_index("columns differ in length");
  }
  PENSTOCK_TRY(check_fields(index.fields));
  PENSTOCK_TRY(check_damages(index.damages, index.shard_bytes));
  std::uint64_t begin = 0;
  for (const std::uint64_t end : index.part_ends) {
    if (end <= begin || end > num_parts) return bad_index("a sample has no parts");
    PENSTOCK_TRY(check_sample(index, begin, end));
    begin = end;
  }
  return begin == num_parts ? Status{} : bad_index("a part belongs to no sample");
}

Status check_records(const RecordIndex& index) {
  if (index.offsets.size() != index.sizes.size()) return bad_index("columns differ in length");
  std::uint64_t end = 0;  // of the record before
  for (std::size_t i = 0; i < index.offsets.size(); ++i) {
    const std::uint64_t offset = index.offsets[i];
    if (offset > index.shard_bytes || offset < end || offset - end < format::kTfrecordHeaderBytes) {
      return bad_index("a record lies outside of the shard or in another");
    }
    const std::uint64_t left = index.shard_bytes - offset;
    if (left < format::kTfrecordFooterBytes ||
        index.sizes[i] > left - format::kTfrecordFooterBytes) {
      return bad_index("a record lies outside of the shard or in another");
    }
    end = offset + index.sizes[i] + format::kTfrecordFooterBytes;
  }
  return check_damages(index.damages, index.shard_bytes);
}

}  // namespace

std::vector<std::byte> encode_index(const FolderIndex& index) {
  Writer writer(Kind::kFolder);
  writer.column(index.folders);
  writer.column(index.folder_times);
  writer.column(index.run_folders);
  writer.column(index.run_lengths);
  writer.column(index.names);
  writer.column(index.sizes_bytes);
  return std::move(writer).finish();
}

std::vector<std::byte> encode_index(const ShardIndex& index) {
  Writer writer(Kind::kShard);
  writer.number(index.shard_bytes);
  writer.number(index.shard_time);
  writer.column(index.fields);
  writer.column(index.keys);
  writer.column(index.part_ends);
  writer.column(index.part_fields);
  writer.column(index.part_offsets);
  writer.column(index.part_sizes);
  writer.columns(index.damages);
  return std::move(writer).finish();
}

std::vector<std::byte> encode_index(const RecordIndex& index) {
  Writer writer(Kind::kRecords);
  writer.number(index.shard_bytes);
  writer.number(index.shard_time);
  writer.column(index.offsets);
  writer.column(index.sizes);
  writer.columns(index.damages);
  return std::move(writer).finish();
}

Result<FolderIndex> decode_folder_index(Bytes bytes) {
  PENSTOCK_TRY_ASSIGN(const Bytes body, checked_body(bytes, Kind::kFolder));
  Reader reader(body);
  FolderIndex index;
  reader.column(index.folders);
  reader.column(index.folder_times);
  reader.column(index.run_folders);
  reader.column(index.run_lengths);
  reader.column(index.names);
  reader.column(index.sizes_bytes);
  PENSTOCK_TRY(reader.finish());
  if (index.run_folders.size() != index.run_lengths.size()) {
    return bad_index("runs and lengths differ in number");
  }
  PENSTOCK_TRY(check_folders(index));
  PENSTOCK_TRY(check_images(index));
  return index;
}

Result<ShardIndex> decode_shard_index(Bytes bytes) {
  PENSTOCK_TRY_ASSIGN(const Bytes body, checked_body(bytes, Kind::kShard));
  Reader reader(body);
  ShardIndex index;
  reader.number(index.shard_bytes);
  reader.number(index.shard_time);
  reader.column(index.fields);
  reader.column(index.keys);
  reader.column(index.part_ends);
  reader.column(index.part_fields);
  reader.column(index.part_offsets);
  reader.column(index.part_sizes);
  reader.columns(index.damages);
  PENSTOCK_TRY(reader.finish());
  PENSTOCK_TRY(check_shard(index));
  return index;
}

Result<RecordIndex> decode_record_index(Bytes bytes) {
  PENSTOCK_TRY_ASSIGN(const Bytes body, checked_body(bytes, Kind::kRecords));
  Reader reader(body);
  RecordIndex index;
  reader.number(index.shard_bytes);
  reader.number(index.shard_time);
  reader.column(index.offsets);
  reader.column(index.sizes);
  reader.columns(index.damages);
  PENSTOCK_TRY(reader.finish());
  PENSTOCK_TRY(check_records(index));
  return index;
}

}  // namespace penstock::source
