#include "penstock/decode/jpeg/encode.h"

#include <gtest/gtest.h>

#include "penstock/decode/jpeg/decode.h"
#include "penstock/decode/scratch.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {
namespace {

TEST(JpegEncodeTest, ComesBackNearlyTheSame) {
  Pixels image{16, 16, 3, {}};
  for (int i = 0; i < 256; ++i) image.values.insert(image.values.end(), {200, 100, 50});
  const Encoded bytes = encode_jpeg(image.view(), {.quality = 95}).value();
  DecodeScratch scratch;
  const ImagePart part = *decode_jpeg(bytes, {whole(image)}, {}, scratch);
  const std::vector<std::uint8_t> values = copied_region(part, whole(image));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], image.values[i], 2);
}

TEST(JpegEncodeTest, LowerQualityIsSmaller) {
  const Pixels image = busy_image({64, 64}, 3);
  EXPECT_LT(encode_jpeg(image.view(), {.quality = 30})->size(),
            encode_jpeg(image.view(), {.quality = 90})->size());
}

TEST(JpegEncodeTest, RefusesQualityZero) {
  const Status status = encode_jpeg(busy_image({8, 8}, 3).view(), {.quality = 0}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.message(), "quality is 0, expected 1 to 100");
}

TEST(JpegEncodeTest, RefusesTwoChannels) {
  EXPECT_EQ(encode_jpeg(busy_image({8, 8}, 2).view(), {}).status().message(),
            "image has 2 channels, expected 1 or 3");
}

TEST(JpegEncodeTest, RefusesAnEmptyImage) {
  EXPECT_EQ(encode_jpeg({nullptr, 0, 5, 3, 0}, {}).status().message(),
            "image is 0x5, expected sides from 1 to 65500");
}

}  // namespace
}  // namespace penstock::decode
