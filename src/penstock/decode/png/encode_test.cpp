#include "penstock/decode/png/encode.h"

#include <gtest/gtest.h>

#include "penstock/decode/png/decode.h"
#include "penstock/decode/scratch.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {
namespace {

TEST(PngEncodeTest, TakesRowsThatAreApart) {
  const Pixels image = busy_image({20, 10}, 3);
  ImageView left_half = image.view();
  left_half.width = 10;
  const Encoded bytes = encode_png(left_half).value();
  DecodeScratch scratch;
  const ImagePart part = *decode_png(bytes, {{0, 0, 10, 10}}, {}, scratch);
  EXPECT_EQ(difference(part, {0, 0, 10, 10}, image), "");
}

TEST(PngEncodeTest, RefusesTwoChannels) {
  EXPECT_EQ(encode_png(busy_image({8, 8}, 2).view()).status().message(),
            "image has 2 channels, expected 1 or 3");
}

TEST(PngEncodeTest, RefusesAnEmptyImage) {
  EXPECT_EQ(encode_png({nullptr, 3, 0, 3, 0}).status().message(),
            "image is 3x0, expected at least 1x1");
}

}  // namespace
}  // namespace penstock::decode
