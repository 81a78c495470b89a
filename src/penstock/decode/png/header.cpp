// The size, the orientation and the memory of a PNG, from its chunks.
#include "penstock/decode/png/header.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "penstock/decode/exif.h"
#include "penstock/decode/png/adam7.h"
#include "penstock/decode/png/chunks.h"
#include "penstock/decode/png/inflate.h"

namespace penstock::decode {
namespace {

constexpr std::array<std::uint8_t, kPngSignatureBytes> kSignature = {0x89, 'P',  'N',  'G',
                                                                     '\r', '\n', 0x1a, '\n'};

// Of the first eXIf chunk; damaged or missing ones mean upright.
int find_orientation(Bytes bytes) {
  PngChunkReader reader(bytes);
  for (;;) {
    const Result<PngChunk> chunk = reader.next();
    if (!chunk.ok() || chunk->type == png_type("IEND")) return 1;
    if (chunk->type == png_type("eXIf")) return exif_orientation(chunk->content);
  }
}

}  // namespace

bool is_png(Bytes bytes) {
  return bytes.size() >= kSignature.size() &&
         std::equal(kSignature.begin(), kSignature.end(), bytes.begin(),
                    [](std::uint8_t a, std::byte b) { return std::byte{a} == b; });
}

Result<ImageHeader> read_png_header(Bytes bytes) {
  PENSTOCK_TRY_ASSIGN(const PngFormat format, read_png_format(bytes));
  // The rows, and the compressed data if it comes in pieces.
  const std::size_t whole_bytes =
      PngPasses(format).size_bytes() + kInflateSlackBytes + bytes.size();
  return ImageHeader{format.size, find_orientation(bytes), whole_bytes};
}

}  // namespace penstock::decode
