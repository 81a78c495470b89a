// Frames records as TensorFlow does.
#include "penstock/format/tfrecord_writer.h"

#include "penstock/base/crc32c.h"

namespace penstock::format {
namespace {

template <class Number>
void store(MutableBytes out, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) out[i] = static_cast<std::byte>(value >> (8 * i));
}

}  // namespace

std::array<std::byte, 12> tfrecord_header(std::uint64_t size_bytes) {
  std::array<std::byte, 12> header{};
  store(header, size_bytes);
  store(MutableBytes(header).subspan(8), mask_crc32c(crc32c(Bytes(header).first(8))));
  return header;
}

std::array<std::byte, 4> tfrecord_footer(Bytes data) {
  std::array<std::byte, 4> footer{};
  store(footer, mask_crc32c(crc32c(data)));
  return footer;
}

void append_tfrecord(std::vector<std::byte>& shard, Bytes data) {
  const auto header = tfrecord_header(data.size());
  const auto footer = tfrecord_footer(data);
  shard.insert(shard.end(), header.begin(), header.end());
  shard.insert(shard.end(), data.begin(), data.end());
  shard.insert(shard.end(), footer.begin(), footer.end());
}

}  // namespace penstock::format
