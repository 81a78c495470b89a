// The rows of a PNG from its compressed data, by libdeflate.
#include "penstock/decode/png/inflate.h"

#include <libdeflate.h>

#include <cassert>

namespace penstock::decode {
namespace {

constexpr std::size_t kZlibHeaderBytes = 2;
// Of deflate: 258 bytes for two bits. Block headers make it a little less.
constexpr std::size_t kMaxExpansion = 1032;

// RFC 1950, section 2.2.
Status check_zlib_header(Bytes compressed) {
  if (compressed.size() < kZlibHeaderBytes) {
    return corrupt("image data has ", compressed.size(), " bytes, expected a zlib header");
  }
  const auto first = std::to_integer<unsigned>(compressed[0]);
  const auto second = std::to_integer<unsigned>(compressed[1]);
  const bool is_deflate = (first & 15) == 8 && first >> 4 <= 7;
  const bool has_dictionary = (second & 0x20) != 0;
  if (is_deflate && !has_dictionary && (first * 256 + second) % 31 == 0) return {};
  return corrupt("image data begins with the bytes ", first, " and ", second,
                 ", expected a zlib header");
}

}  // namespace

Status check_inflated_size(std::size_t compressed_bytes, std::size_t rows_bytes) {
  if (rows_bytes / kMaxExpansion <= compressed_bytes) return {};
  return corrupt("image data has ", compressed_bytes, " bytes, expected at least ",
                 rows_bytes / kMaxExpansion, " for ", rows_bytes, " bytes of rows");
}

void Inflater::Free::operator()(libdeflate_decompressor* decompressor) const {
  libdeflate_free_decompressor(decompressor);
}

Status Inflater::inflate(Bytes compressed, MutableBytes room, std::size_t rows_bytes,
                         bool checks_sums) {
  assert(room.size() >= rows_bytes + kInflateSlackBytes);
  if (decompressor_ == nullptr) decompressor_.reset(libdeflate_alloc_decompressor());
  if (decompressor_ == nullptr) return resource_exhausted("no memory for the decoder");
  PENSTOCK_TRY(check_zlib_header(compressed));

  std::size_t inflated = 0;
  const Bytes deflated = compressed.subspan(kZlibHeaderBytes);
  const libdeflate_result result =
      checks_sums
          ? libdeflate_zlib_decompress(decompressor_.get(), compressed.data(), compressed.size(),
                                       room.data(), room.size(), &inflated)
          : libdeflate_deflate_decompress(decompressor_.get(), deflated.data(), deflated.size(),
                                          room.data(), room.size(), &inflated);
  if (result == LIBDEFLATE_SUCCESS && inflated < rows_bytes) {
    return corrupt("image data inflates to ", inflated, " bytes, expected ", rows_bytes);
  }
  // libdeflate stops at the first literal, match or stored block that does not fit. The largest, a
  // stored block, has 65535 bytes, so that all before the slack has been written.
  const bool has_too_much = result == LIBDEFLATE_INSUFFICIENT_SPACE ||
                            (result == LIBDEFLATE_SUCCESS && inflated > rows_bytes);
  if (has_too_much && checks_sums) {
    return corrupt("image data goes on behind ", rows_bytes, " bytes of rows, expected its end");
  }
  if (result == LIBDEFLATE_SUCCESS || has_too_much) return {};
  return corrupt("damaged image data: ", compressed.size(), " bytes do not inflate",
                 checks_sums ? " or have a wrong checksum" : "");
}

}  // namespace penstock::decode
