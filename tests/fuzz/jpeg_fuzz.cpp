// Any bytes as a JPEG: whole and in part, in colour and gray. A part must have the whole's pixels.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "penstock/decode/catalog.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/jpeg/decode.h"
#include "penstock/decode/jpeg/header.h"
#include "penstock/decode/scratch.h"
#include "penstock/decode/test_pixels.h"

namespace {

using namespace penstock;
using namespace penstock::decode;

// Larger images only cost time.
constexpr int kMaxPixels = 1 << 16;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  (void)probe_image(bytes, {}).ok();
  if (!is_jpeg(bytes)) return 0;
  const auto header = read_jpeg_header(bytes);
  if (!header.ok() || std::int64_t{header->size.width} * header->size.height > kMaxPixels) return 0;

  DecodeScratch whole_scratch;
  DecodeScratch scratch;
  const int eighths = 1 + static_cast<int>(size % 8);
  const int channels = size % 3 == 0 ? 1 : 3;
  const ImageRequest request{{0, 0, header->size.width, header->size.height}, eighths};
  const auto whole = decode_jpeg(bytes, request, {.channels = channels}, whole_scratch);
  (void)decode_image(bytes, {{0, 0, 1, 1}}, {}, scratch).ok();
  if (!whole.ok()) return 0;

  Rect region;
  region.x = static_cast<int>(data[size / 2]) % header->size.width;
  region.y = static_cast<int>(data[size / 3]) % header->size.height;
  region.width = 1 + static_cast<int>(data[size / 4]) % (header->size.width - region.x);
  region.height = 1 + static_cast<int>(data[size / 5]) % (header->size.height - region.y);
  const auto part = decode_jpeg(bytes, {region, eighths}, {.channels = channels}, scratch);
  if (!part.ok() || !part_difference(*part, region, *whole).empty()) std::abort();
  return 0;
}
