// The framing of TFRecord files, as in TensorFlow's "TFRecord and tf.train.Example", and the way
// back into a damaged one.
#include "penstock/format/tfrecord_reader.h"

#include <algorithm>
#include <string>

#include "penstock/base/crc32c.h"

namespace penstock::format {
namespace {

template <class Number>
Number load(Bytes bytes) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value |= static_cast<Number>(std::to_integer<Number>(bytes[i]) << (8 * i));
  }
  return value;
}

std::string hexadecimal(std::uint32_t value) {
  std::string digits = "0x00000000";
  for (std::size_t i = 10; i-- > 2; value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
  return digits;
}

// RFC 1950: deflate with a window of up to 32 KiB, no dictionary, and a check of both bytes. Bytes
// 4 to 7 of a plain shard are 0 unless its first record has 4 GiB, so that a damaged one does not
// look compressed.
bool is_zlib(Bytes first_bytes) {
  if (first_bytes.size() < 8) return false;
  const auto method = std::to_integer<unsigned>(first_bytes[0]);
  const auto flags = std::to_integer<unsigned>(first_bytes[1]);
  return (method & 15) == 8 && method >> 4 <= 7 && (flags & 32) == 0 &&
         (method * 256 + flags) % 31 == 0 && load<std::uint32_t>(first_bytes.subspan(4)) != 0;
}

}  // namespace

std::optional<std::uint64_t> tfrecord_length(Bytes header) {
  const std::uint32_t crc = mask_crc32c(crc32c(header.first(8)));
  if (crc != load<std::uint32_t>(header.subspan(8))) return std::nullopt;
  return load<std::uint64_t>(header);
}

Result<Bytes> checked_tfrecord(Bytes data_and_footer) {
  if (data_and_footer.size() < kTfrecordFooterBytes) {
    return corrupt("the record has ", data_and_footer.size(), " bytes, expected ",
                   kTfrecordFooterBytes, " of a checksum at its end");
  }
  const Bytes data = data_and_footer.first(data_and_footer.size() - kTfrecordFooterBytes);
  const std::uint32_t found = mask_crc32c(crc32c(data));
  const auto expected = load<std::uint32_t>(data_and_footer.subspan(data.size()));
  if (found == expected) return data;
  return corrupt("crc32c of the record is ", hexadecimal(found), ", expected ",
                 hexadecimal(expected));
}

Compression compression_of_tfrecords(Bytes first_bytes) {
  if (first_bytes.size() >= kTfrecordHeaderBytes && tfrecord_length(first_bytes)) {
    return Compression::kNone;
  }
  return is_zlib(first_bytes) ? Compression::kZlib : compression_of(first_bytes);
}

Result<std::optional<TfrecordSpan>> TfrecordReader::next(Bytes window) {
  const std::uint64_t left = shard_size_ - position_;
  if (left == 0) return std::optional<TfrecordSpan>{};
  if (left < kTfrecordHeaderBytes) {
    return corrupt("the record at byte ", position_, " has ", left, " bytes, expected ",
                   kTfrecordHeaderBytes, " or more");
  }
  if (window.size() < kTfrecordHeaderBytes) {
    return need_more_bytes("the header at byte ", position_, " needs ", kTfrecordHeaderBytes,
                           " bytes");
  }
  const auto size = tfrecord_length(window);
  if (!size) {
    return corrupt("no record at byte ", position_, ", the checksum of its length is wrong");
  }
  const std::uint64_t available = left - kTfrecordHeaderBytes;
  if (available < kTfrecordFooterBytes || *size > available - kTfrecordFooterBytes) {
    return corrupt("the record at byte ", position_, " has ", *size, " bytes and a checksum of ",
                   kTfrecordFooterBytes, ", the shard has ", available, " left");
  }
  const TfrecordSpan record{position_ + kTfrecordHeaderBytes, *size};
  position_ = record.offset + *size + kTfrecordFooterBytes;
  return std::optional(record);
}

Status TfrecordReader::resynchronise(Bytes window) {
  constexpr std::uint64_t kSmallest = kTfrecordHeaderBytes + kTfrecordFooterBytes;
  // The place that failed is not looked at again.
  std::uint64_t skip = is_searching_ ? 0 : 1;
  is_searching_ = true;
  for (; position_ + skip < shard_size_; ++skip) {
    const std::uint64_t left = shard_size_ - position_ - skip;
    if (left < kSmallest) break;
    if (window.size() < skip + kTfrecordHeaderBytes) {
      position_ += skip;
      return need_more_bytes("no record before byte ", position_);
    }
    const Bytes header = window.subspan(skip, kTfrecordHeaderBytes);
    // Most places have no length that fits, which costs less to see than a checksum.
    if (load<std::uint64_t>(header) <= left - kSmallest && tfrecord_length(header)) {
      position_ += skip;
      is_searching_ = false;
      return {};
    }
  }
  position_ = shard_size_;
  is_searching_ = false;
  return {};
}

std::uint64_t TfrecordReader::needed_bytes() const {
  return std::min<std::uint64_t>(kTfrecordHeaderBytes, shard_size_ - position_);
}

}  // namespace penstock::format
