#include "penstock/decode/webp/decode.h"

#include <gtest/gtest.h>
#include <webp/decode.h>

#include <cstdint>
#include <string>
#include <vector>

#include "penstock/decode/scratch.h"
#include "penstock/decode/test_pixels.h"
#include "penstock/decode/webp/header.h"
#include "penstock/decode/webp/test_webp.h"

namespace penstock::decode {
namespace {

using Values = std::vector<std::uint8_t>;

Result<Values> decode(Bytes bytes, const Rect& region, int channels = 3) {
  DecodeScratch scratch;
  PENSTOCK_TRY_ASSIGN(const ImagePart part,
                      decode_webp(bytes, {region}, {.channels = channels}, scratch));
  return copied_region(part, region);
}

// The whole image by libwebp's simplest call.
Pixels reference(const Encoded& bytes) {
  Pixels image{0, 0, 3, {}};
  std::uint8_t* rgb = WebPDecodeRGB(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                    bytes.size(), &image.width, &image.height);
  image.values.assign(rgb, rgb + image.width * image.height * 3);
  WebPFree(rgb);
  return image;
}

TEST(WebpDecodeTest, GivesBackALosslessImage) {
  const Pixels image = busy_image({37, 23}, 3);
  const Encoded bytes = encode_webp(image.view(), {.is_lossless = true});
  EXPECT_EQ(decode(bytes, whole(image)).value(), image.values);
}

TEST(WebpDecodeTest, GivesTheRegionOfALossyImage) {
  for (const int filter_type : {0, 1}) {
    for (const ImageSize size : {ImageSize{1, 1}, {2, 2}, {3, 5}, {37, 23}, {50, 36}, {70, 65}}) {
      const Encoded bytes = encode_webp(busy_image(size, 3).view(), {.filter_type = filter_type});
      const Pixels expected = reference(bytes);
      Rng rng({.seed = 1});
      for (int i = 0; i < 40; ++i) {
        const Rect region = random_region(size, rng);
        DecodeScratch scratch;
        const auto part = decode_webp(bytes, {region, 8}, {}, scratch);
        ASSERT_TRUE(part.ok()) << part.status().message();
        EXPECT_EQ(part->eighths, 8);
        EXPECT_EQ(difference(*part, region, expected), "");
      }
    }
  }
}

TEST(WebpDecodeTest, CoversAtMostTwoPixelsMore) {
  const Encoded bytes = encode_webp(busy_image({40, 40}, 3).view(), {});
  DecodeScratch scratch;
  const ImagePart part = *decode_webp(bytes, {{10, 13, 5, 6}}, {}, scratch);
  EXPECT_EQ(part.origin_x, 8);
  EXPECT_EQ(part.origin_y, 12);
  EXPECT_EQ(part.pixels.width, 8);
  EXPECT_EQ(part.pixels.height, 8);
}

// 0.299 * 200 + 0.587 * 100 + 0.114 * 50 = 124.2
TEST(WebpDecodeTest, MakesGrayOfColour) {
  const Pixels image{1, 1, 3, {200, 100, 50}};
  const Encoded bytes = encode_webp(image.view(), {.is_lossless = true});
  EXPECT_EQ(decode(bytes, {0, 0, 1, 1}, 1).value(), (Values{124}));
}

TEST(WebpDecodeTest, PutsTheFirstFrameOnABlackCanvas) {
  const Pixels image{1, 2, 3, {200, 100, 50, 1, 2, 3}};
  const Encoded frame = encode_webp(image.view(), {.is_lossless = true});
  const Encoded bytes = animated_webp({4, 3}, {2, 0, 1, 2}, frame);
  EXPECT_EQ(decode(bytes, {1, 1, 3, 2}).value(), (Values{0, 0, 0, 1, 2, 3, 0, 0, 0,  //
                                                         0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(decode(bytes, {0, 0, 1, 1}).value(), (Values{0, 0, 0}));
}

TEST(WebpDecodeTest, CropsOfAFrameAreExact) {
  const Encoded frame = encode_webp(busy_image({31, 22}, 3).view(), {});
  const Encoded bytes = animated_webp({48, 40}, {8, 6, 31, 22}, frame);
  DecodeScratch whole_scratch;
  const ImagePart expected = *decode_webp(bytes, {{0, 0, 48, 40}}, {}, whole_scratch);
  EXPECT_EQ(copied_region(expected, {8, 6, 31, 22}), reference(frame).values);
  Rng rng({.seed = 1});
  for (int i = 0; i < 40; ++i) {
    const Rect region = random_region({48, 40}, rng);
    DecodeScratch scratch;
    EXPECT_EQ(part_difference(*decode_webp(bytes, {region}, {}, scratch), region, expected), "");
  }
}

TEST(WebpDamageTest, SaysHowFarATruncatedFileGot) {
  const Encoded bytes = encode_webp(busy_image({40, 30}, 3).view(), {.is_lossless = true});
  EXPECT_EQ(decode(Bytes(bytes).first(100), {0, 0, 1, 1}).status().message(),
            "truncated after 100 of " + std::to_string(bytes.size()) + " bytes");
}

// The container is whole, the stream in it is not.
TEST(WebpDamageTest, AStreamThatEndsEarlyIsCorrupt) {
  for (const bool is_lossless : {false, true}) {
    const Encoded bytes = encode_webp(busy_image({40, 30}, 3).view(), {.is_lossless = is_lossless});
    std::string chunks = webp_chunks(bytes);
    const std::string payload = chunks.substr(8, chunks.size() / 2);
    const Encoded cut = extended_webp({40, 30}, 0, webp_chunk(chunks.substr(0, 4), payload));
    const Status status = decode(cut, {0, 0, 40, 30}).status();
    EXPECT_EQ(status.code(), Code::kCorrupt) << status.message();
  }
}

TEST(WebpDamageTest, FlippedBitsNeverCrash) {
  for (const bool is_lossless : {false, true}) {
    const Encoded bytes = encode_webp(busy_image({21, 17}, 3).view(), {.is_lossless = is_lossless});
    for (std::size_t place = 12; place < bytes.size(); ++place) {
      Encoded damaged = bytes;
      damaged[place] ^= static_cast<std::byte>(1 << place % 8);
      (void)decode(damaged, {0, 0, 21, 17}).ok();
    }
  }
}

TEST(WebpHeaderTest, SaysTheSizeAndTheOrientation) {
  const Encoded image = encode_webp(busy_image({12, 7}, 3).view(), {});
  EXPECT_EQ(read_webp_header(image)->size, (ImageSize{12, 7}));
  EXPECT_EQ(read_webp_header(image)->orientation, 1);
  const std::string exif("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0", 26);
  for (const std::string& prefix : {std::string(), std::string("Exif\0\0", 6)}) {
    const Encoded turned =
        extended_webp({12, 7}, 0x08, webp_chunks(image) + webp_chunk("EXIF", prefix + exif));
    EXPECT_EQ(read_webp_header(turned)->orientation, 6);
  }
}

TEST(WebpHeaderTest, LosslessImagesAreHeldWhole) {
  const Pixels image = busy_image({12, 7}, 3);
  EXPECT_EQ(read_webp_header(encode_webp(image.view(), {}))->whole_bytes, 0u);
  EXPECT_EQ(read_webp_header(encode_webp(image.view(), {.is_lossless = true}))->whole_bytes,
            12u * 7u * 4u);
}

TEST(WebpHeaderTest, AFrameOutsideTheCanvasIsCorrupt) {
  const Encoded frame = encode_webp(busy_image({12, 7}, 3).view(), {});
  EXPECT_EQ(read_webp_header(animated_webp({12, 7}, {2, 0, 12, 7}, frame)).status().message(),
            "frame is 12x7 at 2,0, expected a part of the canvas of 12x7");
}

TEST(WebpHeaderTest, AFrameOfAnotherSizeThanItsHeaderSaysIsCorrupt) {
  const Encoded frame = encode_webp(busy_image({12, 7}, 3).view(), {});
  EXPECT_EQ(read_webp_header(animated_webp({12, 7}, {0, 0, 12, 6}, frame)).status().message(),
            "frame is 12x7, expected 12x6");
}

TEST(WebpHeaderTest, AnAnimationWithoutFramesIsCorrupt) {
  EXPECT_EQ(read_webp_header(extended_webp({12, 7}, 0x02, "")).status().message(),
            "no frame in an animation of 30 bytes");
}

TEST(WebpHeaderTest, TooManyPixelsAreUnsupported) {
  const Encoded frame = encode_webp(busy_image({12, 7}, 3).view(), {});
  const Encoded bytes = animated_webp({70000, 70000}, {0, 0, 12, 7}, frame);
  const Status status = decode(bytes, {0, 0, 1, 1}).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_EQ(status.message(), "image is 70000x70000, expected at most 715827882 pixels");
}

}  // namespace
}  // namespace penstock::decode
