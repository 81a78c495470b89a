// The files in which entry points of images are kept, and the keys they are found by. Does no IO.
// docs/entry_points.md specifies both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/source/source.h"

namespace penstock::source {

inline constexpr std::size_t kEntryPointHeaderBytes = 24;
// Of a record in the table.
inline constexpr std::size_t kEntryPointRowBytes = 12;
// In front of the bytes of each record.
inline constexpr std::size_t kEntryPointChecksumBytes = 4;
// A record is shorter than this, and a part too, so that a few bits hold where a record lies.
inline constexpr std::size_t kEntryPointRecordLimit = std::size_t{1} << 20;
inline constexpr std::uint64_t kEntryPointPartLimit = std::uint64_t{1} << 32;

// By which the entry points of the image in `piece` of the object at `path` are found. `feature`
// names the image in a record of several features; it is empty if the piece is the image. Only the
// last two names of the path count, so that a data set may be moved.
std::uint64_t entry_point_key(std::string_view path, const Piece& piece, std::string_view feature);

struct EntryPointHeader {
  std::uint32_t num_records = 0;
  std::uint64_t table_checksum = 0;

  std::uint64_t table_bytes() const;
};

// A record in a part.
struct EntryPointRecord {
  std::uint64_t key = 0;
  std::uint32_t offset = 0;      // of its checksum, from the start of the part
  std::uint32_t size_bytes = 0;  // without its checksum; above 0
  friend bool operator==(const EntryPointRecord&, const EntryPointRecord&) = default;
};

// Of the first kEntryPointHeaderBytes of a part that has `part_bytes` in all. Fails with kCorrupt,
// or with kUnsupported if it is of another version; so do the others.
Result<EntryPointHeader> decode_entry_point_header(Bytes bytes, std::uint64_t part_bytes);
// `table` is header.table_bytes() behind the header. What comes out lies within the part.
Result<std::vector<EntryPointRecord>> decode_entry_point_table(const EntryPointHeader& header,
                                                               Bytes table,
                                                               std::uint64_t part_bytes);
// The bytes of a record that is given with its checksum.
Result<Bytes> checked_entry_points(Bytes stored);

// A part being put together. The file is head(), then body().
class EntryPointPart {
 public:
  // `bytes` must not be empty and be below kEntryPointRecordLimit.
  void add(std::uint64_t key, Bytes bytes);

  bool is_empty() const { return records_.empty(); }
  // Of the file.
  std::uint64_t size_bytes() const;
  // Where the records will lie.
  std::vector<EntryPointRecord> records() const;

  std::vector<std::byte> head() const;
  Bytes body() const { return body_; }

 private:
  std::vector<EntryPointRecord> records_;  // offsets in the body
  std::vector<std::byte> body_;
};

}  // namespace penstock::source
