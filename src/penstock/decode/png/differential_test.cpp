// Our decoder beside libspng, over every kind of PNG.
#include <gtest/gtest.h>

#include "penstock/decode/png/decode.h"
#include "penstock/decode/png/test_png.h"
#include "penstock/decode/png/test_spng.h"
#include "penstock/decode/scratch.h"

namespace penstock::decode {
namespace {

std::string text(const PngFormat& format) {
  return concat(format.size.width, "x", format.size.height, ", ", format.depth, " bits, colour ",
                static_cast<int>(format.colour), format.is_interlaced ? ", interlaced" : "");
}

// "" if the whole image and some regions of it are what libspng gives.
std::string spng_difference(const TestPng& png, int channels, Rng& rng, DecodeScratch& scratch) {
  const Encoded file = write_png(png);
  const ImageSize size = png.format.size;
  const SpngDecoded expected = decode_by_spng(file, channels);
  if (expected.error != 0) return spng_strerror(expected.error);
  const Pixels image{size.width, size.height, channels, expected.values};
  const DecodeOptions options{.channels = channels, .checks_sums = rng.below(2) == 0};
  for (int i = 0; i < 8; ++i) {
    const Rect region = i == 0 ? whole(image) : random_region(size, rng);
    const auto part = decode_png(file, {region}, options, scratch);
    if (!part.ok()) return std::string(part.status().message());
    const std::string found = difference(*part, region, image);
    if (!found.empty()) {
      return concat(found, ", region ", region.width, "x", region.height, " at ", region.x, ",",
                    region.y);
    }
  }
  return "";
}

void expect_like_spng(ImageSize size) {
  DecodeScratch scratch;
  for (const PngFormat& format : png_formats(size)) {
    Rng rng({.seed = static_cast<std::uint64_t>(size.width * 100 + size.height),
             .sample = static_cast<std::uint64_t>(format.pixel_bits())});
    for (const int channels : {1, 3}) {
      EXPECT_EQ(spng_difference(random_png(format, rng), channels, rng, scratch), "")
          << text(format) << " to " << channels;
    }
  }
}

TEST(PngDifferentialTest, OnePixel) { expect_like_spng({1, 1}); }

TEST(PngDifferentialTest, NarrowImages) {
  for (int width = 1; width <= 17; ++width) expect_like_spng({width, 9});
}

TEST(PngDifferentialTest, LowImages) {
  for (int height = 1; height <= 8; ++height) expect_like_spng({23, height});
}

TEST(PngDifferentialTest, OddSizes) {
  expect_like_spng({37, 23});
  expect_like_spng({71, 67});
}

// Rows of one filter only: the chain from the region's first row goes up as far as it has to.
TEST(PngDifferentialTest, EveryFilterAlone) {
  DecodeScratch scratch;
  for (const PngFormat& format : png_formats({33, 15})) {
    const PngPasses passes(format);
    for (std::uint8_t filter = 0; filter < 5; ++filter) {
      Rng rng({.seed = filter});
      TestPng png = random_png(format, rng);
      for (const PngPass& pass : passes.passes()) {
        for (int y = 0; y < pass.size.height; ++y) {
          png.rows[pass.offset + static_cast<std::size_t>(y) * (pass.row_bytes + 1)] = filter;
        }
      }
      EXPECT_EQ(spng_difference(png, 3, rng, scratch), "") << text(format) << ", filter " << filter;
    }
  }
}

}  // namespace
}  // namespace penstock::decode
