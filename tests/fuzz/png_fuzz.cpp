// Any bytes as a PNG: whole and in part, in colour and gray, beside libspng and libpng. What both
// decode has the same pixels, and what libspng refuses is refused, except for flaws that do not
// touch pixels.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "libpng_decode.h"
#include "penstock/decode/catalog.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/png/decode.h"
#include "penstock/decode/png/header.h"
#include "penstock/decode/png/test_spng.h"
#include "penstock/decode/scratch.h"
#include "penstock/decode/test_pixels.h"

namespace {

using namespace penstock;
using namespace penstock::decode;

// Larger images only cost time.
constexpr std::int64_t kMaxPixels = 1 << 18;

void check(bool holds) {
  if (!holds) std::abort();
}

// libdeflate takes some codes that deflate does not have. Whether they give what was encoded is
// told by the sum, which only checks_sums compares.
bool is_tolerated(int spng_error) { return spng_error == SPNG_EIDAT_STREAM; }

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
  const Rect all{0, 0, header->size.width, header->size.height};
  (void)decode_image(bytes, {{0, 0, 1, 1}}, {}, scratch).ok();
  const bool has_right_sums =
      decode_png(bytes, {all}, {.channels = channels, .checks_sums = true}, scratch).ok();
  const auto whole = decode_png(bytes, {all}, {.channels = channels}, whole_scratch);
  check(whole.ok() || !has_right_sums);
  if (!whole.ok()) return 0;

  const SpngDecoded expected = decode_by_spng(bytes, channels);
  check(expected.error == 0 ? copied_region(*whole, all) == expected.values
                            : is_tolerated(expected.error));

  if (channels == 3) {
    const std::vector<std::uint8_t> by_libpng = decode_by_libpng(bytes);
    check(by_libpng.empty() || copied_region(*whole, all) == by_libpng);
  }

  Rng rng({.seed = data[size / 2], .sample = size});
  const Rect region = random_region(header->size, rng);
  const auto part = decode_png(bytes, {region}, {.channels = channels}, scratch);
  check(part.ok() && part_difference(*part, region, *whole).empty());
  return 0;
}
