// TFRecord files, record by record: length (u64), masked CRC-32C of the length (u32), the data,
// masked CRC-32C of the data (u32), all little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/format/decompress.h"

namespace penstock::format {

constexpr std::size_t kTfrecordHeaderBytes = 12;
constexpr std::size_t kTfrecordFooterBytes = 4;

// Where the data of one record lie, without header and footer.
struct TfrecordSpan {
  std::uint64_t offset = 0;  // from the start of the shard
  std::uint64_t size = 0;    // in bytes
  friend bool operator==(const TfrecordSpan&, const TfrecordSpan&) = default;
};

// The length in a header, if its checksum is right. `header` has 12 bytes or more.
std::optional<std::uint64_t> tfrecord_length(Bytes header);

// The data of a record, from its data and footer. Fails with kCorrupt if the checksum is wrong.
Result<Bytes> checked_tfrecord(Bytes data_and_footer);

// How a shard is compressed, by its first 12 bytes. TensorFlow writes gzip and zlib. The latter's
// two bytes of magic may begin a plain record too, so that a right header counts first.
Compression compression_of_tfrecords(Bytes first_bytes);

// Walks the headers of a shard. Does no IO, and does not look at the data: their checksum is for
// whoever reads them. Not thread-safe; cheap to copy.
class TfrecordReader {
 public:
  // `shard_size`, in bytes, is what records are checked against.
  explicit TfrecordReader(std::uint64_t shard_size) : shard_size_(shard_size) {}

  // `window` must begin at position(). Returns nullopt at the end of the shard.
  //
  // Fails with kNeedMoreBytes if the window ends too early: one of needed_bytes() lets the reader
  // go on. Fails with kCorrupt if there is no header at position() or the shard ends before the
  // record does; position() stays then, and resynchronise() finds what can be read behind it.
  Result<std::optional<TfrecordSpan>> next(Bytes window);

  // Moves from a place where next() failed to the next header with a right checksum whose record
  // fits into the shard, or to the end of the shard. `window` must begin at position(). Fails with
  // kNeedMoreBytes where the window ends without one; position() has moved then, and the search
  // goes on with a window from there.
  Status resynchronise(Bytes window);

  // Where the next header begins, or the search for it goes on.
  std::uint64_t position() const { return position_; }
  // How long the next window must be, at least; never reaches past the end of the shard.
  std::uint64_t needed_bytes() const;

 private:
  std::uint64_t shard_size_ = 0;
  std::uint64_t position_ = 0;
  bool is_searching_ = false;
};

}  // namespace penstock::format
