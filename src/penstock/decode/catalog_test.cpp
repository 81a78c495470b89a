#include "penstock/decode/catalog.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "penstock/decode/decode.h"
#include "penstock/decode/jpeg/encode.h"
#include "penstock/decode/png/encode.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {
namespace {

Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(CatalogTest, UnknownBytesAreUnsupported) {
  const std::string text = {'M', 'Z', '\x90', '\0', '\x03'};
  const Status status = probe_image(bytes_of(text), {}).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_EQ(
      status.message(),
      "unknown image format, begins with 4d 5a 90 00, expected jpeg, png, webp, tiff, bmp or gif");
}

TEST(CatalogTest, AnEmptyFileIsCorrupt) {
  const Status status = probe_image({}, {}).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(), "empty file, expected an image");
}

TEST(CatalogTest, MessagesNameTheCodec) {
  const Encoded bytes = encode_jpeg(busy_image({8, 8}, 3).view(), {}).value();
  EXPECT_EQ(probe_image(Bytes(bytes).first(20), {}).status().message(),
            "jpeg: no image size in 20 bytes, expected a frame header");
}

TEST(CatalogTest, RefusesTwoChannels) {
  const Encoded bytes = encode_png(busy_image({8, 8}, 3).view()).value();
  DecodeScratch scratch;
  EXPECT_EQ(decode_image(bytes, {{0, 0, 8, 8}}, {.channels = 2}, scratch).status().message(),
            "png: channels is 2, expected 1 or 3");
}

TEST(CatalogTest, SizesAreThoseOfTheUprightImage) {
  const Encoded bytes = encode_jpeg(busy_image({30, 20}, 3).view(), {.orientation = 6}).value();
  EXPECT_EQ(*probe_image(bytes, {}), (ImageSize{20, 30}));
  EXPECT_EQ(*probe_image(bytes, {.applies_orientation = false}), (ImageSize{30, 20}));
}

// For each way round and each number of eighths: the region of the turned image is the turned
// region.
TEST(CatalogTest, RegionsAreThoseOfTheUprightImage) {
  const ImageSize stored{45, 38};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Encoded bytes =
        encode_jpeg(busy_image(stored, 3).view(), {.orientation = orientation}).value();
    const ImageSize upright = *probe_image(bytes, {});
    Rng rng({.seed = static_cast<std::uint64_t>(orientation)});
    for (int eighths = 1; eighths <= 8; ++eighths) {
      DecodeScratch whole_scratch;
      const ImagePart expected =
          *decode_image(bytes, {{0, 0, upright.width, upright.height}, eighths}, {}, whole_scratch);
      for (int i = 0; i < 10; ++i) {
        DecodeScratch scratch;
        const Rect region = random_region(upright, rng);
        const ImagePart part = *decode_image(bytes, {region, eighths}, {}, scratch);
        ASSERT_EQ(part.full_size, upright);
        EXPECT_EQ(part_difference(part, region, expected), "") << orientation << " " << eighths;
      }
    }
  }
}

TEST(CatalogTest, ScratchGrowsAndStays) {
  DecodeScratch scratch;
  EXPECT_EQ(scratch.size_bytes(), 0u);
  const Encoded large = encode_png(busy_image({64, 64}, 3).view()).value();
  ASSERT_TRUE(decode_image(large, {{0, 0, 64, 64}}, {}, scratch).ok());
  const std::size_t held = scratch.size_bytes();
  EXPECT_GE(held, 64u * 64u * 3u);
  const Encoded small = encode_png(busy_image({8, 8}, 3).view()).value();
  ASSERT_TRUE(decode_image(small, {{0, 0, 8, 8}}, {}, scratch).ok());
  EXPECT_EQ(scratch.size_bytes(), held);
}

}  // namespace
}  // namespace penstock::decode
