#include "penstock/decode/gif/decode.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "penstock/decode/gif/frame.h"
#include "penstock/decode/gif/test_gif.h"
#include "penstock/decode/scratch.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {
namespace {

using Values = std::vector<std::uint8_t>;

const std::vector<GifColorType> kPalette = {{1, 2, 3}, {10, 20, 30}, {200, 100, 50}, {7, 7, 7}};

Result<Values> decode(Bytes bytes, const Rect& region, int channels = 3) {
  DecodeScratch scratch;
  PENSTOCK_TRY_ASSIGN(const ImagePart part,
                      decode_gif(bytes, {region}, {.channels = channels}, scratch));
  return copied_region(part, region);
}

// A frame of noise in 256 grays, which fills the canvas.
GifFile noise(ImageSize size) {
  const Pixels image = busy_image(size, 1);
  GifFile gif{size, whole(image), image.values, {}};
  for (int i = 0; i < 256; ++i) {
    const auto gray = static_cast<GifByteType>(i);
    gif.palette.push_back({gray, gray, gray});
  }
  return gif;
}

TEST(GifDecodeTest, LooksUpThePalette) {
  const Encoded bytes = gif_file({{2, 1}, {0, 0, 2, 1}, {2, 1}, kPalette});
  EXPECT_EQ(decode(bytes, {0, 0, 2, 1}).value(), (Values{200, 100, 50, 10, 20, 30}));
}

TEST(GifDecodeTest, GivesTheRegion) {
  for (const bool is_interlaced : {false, true}) {
    for (const ImageSize size : {ImageSize{1, 1}, {3, 2}, {5, 9}, {37, 23}}) {
      GifFile gif = noise(size);
      gif.is_interlaced = is_interlaced;
      const Encoded bytes = gif_file(gif);
      const Pixels expected{size.width, size.height, 1, gif.indices};
      Rng rng({.seed = 1});
      for (int i = 0; i < 20; ++i) {
        const Rect region = random_region(size, rng);
        DecodeScratch scratch;
        const auto part = decode_gif(bytes, {region, 8}, {.channels = 1}, scratch);
        ASSERT_TRUE(part.ok()) << part.status().message();
        EXPECT_EQ(part->eighths, 8);
        EXPECT_EQ(difference(*part, region, expected), "");
      }
    }
  }
}

// 0.299 * 200 + 0.587 * 100 + 0.114 * 50 = 124.2
TEST(GifDecodeTest, MakesGrayOfColour) {
  const Encoded bytes = gif_file({{1, 1}, {0, 0, 1, 1}, {2}, kPalette});
  EXPECT_EQ(decode(bytes, {0, 0, 1, 1}, 1).value(), (Values{124}));
}

TEST(GifDecodeTest, TheFirstColourSurroundsAFrame) {
  const Encoded bytes = gif_file({{3, 2}, {1, 1, 1, 1}, {3}, kPalette});
  EXPECT_EQ(decode(bytes, {0, 1, 3, 1}).value(), (Values{1, 2, 3, 7, 7, 7, 1, 2, 3}));
  EXPECT_EQ(decode(bytes, {0, 0, 1, 1}).value(), (Values{1, 2, 3}));
}

TEST(GifDecodeTest, TheTransparentColourSurroundsAFrame) {
  const Encoded bytes = gif_file({{3, 1}, {1, 0, 1, 1}, {3}, kPalette, false, 1});
  EXPECT_EQ(decode(bytes, {0, 0, 3, 1}).value(), (Values{10, 20, 30, 7, 7, 7, 10, 20, 30}));
}

TEST(GifDecodeTest, TransparencyIsDropped) {
  const Encoded bytes = gif_file({{2, 1}, {0, 0, 2, 1}, {1, 2}, kPalette, false, 1});
  EXPECT_EQ(decode(bytes, {0, 0, 2, 1}).value(), (Values{10, 20, 30, 200, 100, 50}));
}

TEST(GifDecodeTest, TheCanvasGrowsWithTheFrame) {
  const Encoded bytes = gif_file({{1, 1}, {1, 0, 1, 2}, {3, 3}, kPalette});
  EXPECT_EQ(read_gif_header(bytes)->size, (ImageSize{2, 2}));
  EXPECT_EQ(decode(bytes, {0, 0, 2, 1}).value(), (Values{1, 2, 3, 7, 7, 7}));
}

TEST(GifDamageTest, AColourOutsideThePaletteIsCorrupt) {
  Encoded bytes = gif_file({{2, 1}, {0, 0, 2, 1}, {2, 1}, kPalette});
  // The palette of 4 colours becomes one of 2.
  bytes[10] = std::byte{0x80};
  bytes.erase(bytes.begin() + 13 + 6, bytes.begin() + 13 + 12);
  const Status status = decode(bytes, {0, 0, 2, 1}).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(), "pixel has colour 2, expected less than 2");
}

TEST(GifDamageTest, ACutFileIsCorruptWhateverTheRegion) {
  const Encoded bytes = gif_file(noise({20, 20}));
  for (std::size_t size = 6; size < bytes.size() - 1; ++size) {
    EXPECT_EQ(decode(Bytes(bytes).first(size), {0, 0, 1, 1}).status().code(), Code::kCorrupt);
  }
  EXPECT_TRUE(decode(Bytes(bytes).first(bytes.size() - 1), {0, 0, 1, 1}).ok());
}

TEST(GifDamageTest, SaysHowFarATruncatedFileGot) {
  const Encoded bytes = gif_file(noise({20, 20}));
  EXPECT_EQ(read_gif_header(Bytes(bytes).first(10)).status().message(), "truncated after 10 bytes");
  EXPECT_EQ(read_gif_header(Bytes(bytes).first(900)).status().message(),
            "truncated after 900 bytes, in the first frame");
}

TEST(GifDamageTest, PixelsThatEndEarlyAreCorrupt) {
  GifFile gif = noise({20, 20});
  gif.place.height = 10;
  Encoded bytes = gif_file(gif);
  const std::size_t height = 13 + 3 * 256 + 1 + 6;  // behind screen, palette, mark, x, y, width
  ASSERT_EQ(bytes[height], std::byte{10});
  bytes[height] = std::byte{20};
  EXPECT_TRUE(decode(bytes, {0, 0, 20, 10}).ok());
  EXPECT_EQ(decode(bytes, {0, 0, 20, 11}).status().code(), Code::kCorrupt);
}

TEST(GifDamageTest, FlippedBitsNeverCrash) {
  const Encoded bytes = gif_file(noise({21, 17}));
  for (std::size_t place = 13 + 3 * 256; place < bytes.size(); ++place) {
    Encoded damaged = bytes;
    damaged[place] ^= static_cast<std::byte>(1 << place % 8);
    (void)decode(damaged, {0, 0, 21, 17}).ok();
  }
}

TEST(GifDamageTest, AFileWithoutAFrameIsCorrupt) {
  const std::string file("GIF89a\x01\0\x01\0\0\0\0;", 14);
  EXPECT_EQ(read_gif_header(std::as_bytes(std::span(file))).status().message(),
            "no image in 14 bytes");
}

TEST(GifDamageTest, AnEmptyFrameIsCorrupt) {
  const std::string file("GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\0\0\x05\0\0\x02\0;", 25);
  EXPECT_EQ(read_gif_header(std::as_bytes(std::span(file))).status().message(),
            "frame is 0x5, expected at least 1x1");
}

}  // namespace
}  // namespace penstock::decode
