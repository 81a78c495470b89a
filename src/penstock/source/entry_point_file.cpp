// Parts to bytes and back. Bytes that come back are not trusted: a file may be cut, foreign, or
// written by somebody else.
#include "penstock/source/entry_point_file.h"

#include <cassert>
#include <cstring>

#include "penstock/base/crc32c.h"
#include "penstock/base/hash.h"
#include "penstock/source/path.h"

namespace penstock::source {
namespace {

constexpr std::string_view kMagic = "PENENTRY";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kRowBytes = kEntryPointRowBytes;

template <class Number>
void store(std::byte* to, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

template <class Number>
Number load(const std::byte* from) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value |= static_cast<Number>(static_cast<Number>(from[i]) << (8 * i));
  }
  return value;
}

// "cat/17.jpg" of "/data/train/cat/17.jpg".
std::string_view last_two_names(std::string_view path) {
  const std::string_view folder = folder_of(path);
  if (folder.empty() || folder == "/") return base_name(path);
  return path.substr(folder.size() - base_name(folder).size());
}

template <class... Parts>
Status bad_part(const Parts&... parts) {
  return corrupt("entry points: ", parts...);
}

}  // namespace

std::uint64_t entry_point_key(std::string_view path, const Piece& piece, std::string_view feature) {
  std::uint64_t key = hash_text(last_two_names(path));
  key = combine_hash(key, piece.offset);
  key = combine_hash(key, piece.size_bytes);
  return hash_text(feature, key);
}

std::uint64_t EntryPointHeader::table_bytes() const {
  return std::uint64_t{num_records} * kRowBytes;
}

Result<EntryPointHeader> decode_entry_point_header(Bytes bytes, std::uint64_t part_bytes) {
  if (bytes.size() < kEntryPointHeaderBytes || part_bytes < kEntryPointHeaderBytes) {
    return bad_part("a part of ", part_bytes, " bytes, expected ", kEntryPointHeaderBytes,
                    " or more");
  }
  if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    return bad_part("byte 0 does not begin with ", kMagic);
  }
  const auto version = load<std::uint32_t>(bytes.data() + 8);
  if (version != kVersion) {
    return unsupported("entry points: version ", version, " at byte 8, expected ", kVersion);
  }
  if (part_bytes >= kEntryPointPartLimit) {
    return bad_part("a part of ", part_bytes, " bytes, expected fewer than ", kEntryPointPartLimit);
  }
  const EntryPointHeader header{load<std::uint32_t>(bytes.data() + 12),
                                load<std::uint64_t>(bytes.data() + 16)};
  if (header.table_bytes() > part_bytes - kEntryPointHeaderBytes) {
    return bad_part(header.num_records, " records at byte 12, expected fewer in ", part_bytes,
                    " bytes");
  }
  return header;
}

Result<std::vector<EntryPointRecord>> decode_entry_point_table(const EntryPointHeader& header,
                                                               Bytes table,
                                                               std::uint64_t part_bytes) {
  if (table.size() != header.table_bytes()) {
    return bad_part("a table of ", table.size(), " bytes, expected ", header.table_bytes());
  }
  if (hash_bytes(table) != header.table_checksum) {
    return bad_part("the table does not have the checksum that is at byte 16");
  }
  std::vector<EntryPointRecord> records(header.num_records);
  std::uint64_t offset = kEntryPointHeaderBytes + table.size();
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::byte* row = table.data() + i * kRowBytes;
    const auto size = load<std::uint32_t>(row + 8);
    const std::uint64_t end = offset + kEntryPointChecksumBytes + size;
    if (size == 0 || size >= kEntryPointRecordLimit || end > part_bytes) {
      return bad_part("record ", i, " at byte ", offset, " has ", size, " bytes in a part of ",
                      part_bytes);
    }
    records[i] = {load<std::uint64_t>(row), static_cast<std::uint32_t>(offset), size};
    offset = end;
  }
  if (offset != part_bytes) {
    return bad_part("the records end at byte ", offset, ", expected ", part_bytes);
  }
  return records;
}

Result<Bytes> checked_entry_points(Bytes stored) {
  if (stored.size() <= kEntryPointChecksumBytes) {
    return bad_part("a record of ", stored.size(), " bytes, expected more than ",
                    kEntryPointChecksumBytes);
  }
  const Bytes bytes = stored.subspan(kEntryPointChecksumBytes);
  if (crc32c(bytes) != load<std::uint32_t>(stored.data())) {
    return bad_part("a record does not have its checksum");
  }
  return bytes;
}

void EntryPointPart::add(std::uint64_t key, Bytes bytes) {
  assert(!bytes.empty() && bytes.size() < kEntryPointRecordLimit);
  const std::size_t offset = body_.size();
  records_.push_back(
      {key, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes.size())});
  body_.resize(offset + kEntryPointChecksumBytes);
  store(body_.data() + offset, crc32c(bytes));
  body_.insert(body_.end(), bytes.begin(), bytes.end());
}

std::uint64_t EntryPointPart::size_bytes() const {
  return kEntryPointHeaderBytes + records_.size() * kRowBytes + body_.size();
}

std::vector<EntryPointRecord> EntryPointPart::records() const {
  std::vector<EntryPointRecord> records = records_;
  const std::uint64_t head_bytes = size_bytes() - body_.size();
  for (EntryPointRecord& record : records) {
    record.offset += static_cast<std::uint32_t>(head_bytes);
  }
  return records;
}

std::vector<std::byte> EntryPointPart::head() const {
  std::vector<std::byte> head(kEntryPointHeaderBytes + records_.size() * kRowBytes);
  std::memcpy(head.data(), kMagic.data(), kMagic.size());
  store(head.data() + 8, kVersion);
  store(head.data() + 12, static_cast<std::uint32_t>(records_.size()));
  std::byte* row = head.data() + kEntryPointHeaderBytes;
  for (const EntryPointRecord& record : records_) {
    store(row, record.key);
    store(row + 8, record.size_bytes);
    row += kRowBytes;
  }
  store(head.data() + 16, hash_bytes(Bytes(head).subspan(kEntryPointHeaderBytes)));
  return head;
}

}  // namespace penstock::source
