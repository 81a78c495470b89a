// Any bytes as a PNG: whole and in part, in colour and gray.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "penstock/decode/catalog.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/png/decode.h"
#include "penstock/decode/png/header.h"
#include "penstock/decode/scratch.h"

namespace {

using namespace penstock;
using namespace penstock::decode;

// Larger images only cost time.
constexpr std::int64_t kMaxPixels = 1 << 20;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  (void)probe_image(bytes, {}).ok();
  if (!is_png(bytes)) return 0;
  const auto header = read_png_header(bytes);
  if (!header.ok() || std::int64_t{header->size.width} * header->size.height > kMaxPixels) return 0;

  DecodeScratch whole_scratch;
  DecodeScratch scratch;
  const int channels = size % 3 == 0 ? 1 : 3;
  const ImageRequest request{{0, 0, header->size.width, header->size.height}};
  const auto whole = decode_png(bytes, request, {.channels = channels}, whole_scratch);
  (void)decode_image(bytes, {{0, 0, 1, 1}}, {}, scratch).ok();
  if (!whole.ok()) return 0;

  const int row = static_cast<int>(data[size / 2]) % header->size.height;
  const Rect region{0, row, header->size.width, 1};
  const auto part = decode_png(bytes, {region}, {.channels = channels}, scratch);
  const auto row_bytes = static_cast<std::size_t>(header->size.width * channels);
  if (!part.ok() || std::memcmp(part->pixels.row(0), whole->pixels.row(row), row_bytes) != 0) {
    std::abort();
  }
  return 0;
}
