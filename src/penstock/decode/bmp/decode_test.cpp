#include "penstock/decode/bmp/decode.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/decode/bmp/header.h"
#include "penstock/decode/bmp/test_bmp.h"
#include "penstock/decode/scratch.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {
namespace {

using namespace std::string_literals;
using Values = std::vector<std::uint8_t>;

Result<Values> decode(Bytes bytes, const Rect& region, int channels = 3) {
  DecodeScratch scratch;
  PENSTOCK_TRY_ASSIGN(const ImagePart part,
                      decode_bmp(bytes, {region}, {.channels = channels}, scratch));
  return copied_region(part, region);
}

// Gray, so that one value names a colour: index i has colour 10 * i.
std::string gray_palette(int num_colours) {
  std::string palette;
  for (int i = 0; i < num_colours; ++i) palette += std::string(3, static_cast<char>(10 * i)) + '\0';
  return palette;
}

TEST(BmpDecodeTest, GivesTheRegion) {
  for (const ImageSize size : {ImageSize{1, 1}, {3, 2}, {4, 9}, {37, 23}}) {
    const Pixels image = busy_image(size, 3);
    const Encoded bytes = encode_bmp(image.view());
    Rng rng({.seed = 1});
    for (int i = 0; i < 20; ++i) {
      const Rect region = random_region(size, rng);
      DecodeScratch scratch;
      const auto part = decode_bmp(bytes, {region, 8}, {}, scratch);
      ASSERT_TRUE(part.ok()) << part.status().message();
      EXPECT_EQ(part->eighths, 8);
      EXPECT_EQ(difference(*part, region, image), "");
    }
  }
}

TEST(BmpDecodeTest, RowsMayBeStoredTopDown) {
  const std::string rows = "\x01\x02\x03\0\x04\x05\x06\0"s;
  EXPECT_EQ(decode(bmp_file({.size = {1, 2}, .pixels = rows}), {0, 0, 1, 2}).value(),
            (Values{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(decode(bmp_file({.size = {1, -2}, .pixels = rows}), {0, 0, 1, 2}).value(),
            (Values{3, 2, 1, 6, 5, 4}));
}

TEST(BmpDecodeTest, LooksUpPalettes) {
  const std::string palette = "\x1e\x14\x0a\0\x32\x64\xc8\0"s;  // (10, 20, 30), (200, 100, 50)
  const Encoded one_bit =
      bmp_file({.size = {3, 1}, .bits = 1, .palette = palette, .pixels = "\x40\0\0\0"s});
  EXPECT_EQ(decode(one_bit, {0, 0, 3, 1}).value(), (Values{10, 20, 30, 200, 100, 50, 10, 20, 30}));
  const Encoded four_bits =
      bmp_file({.size = {3, 1}, .bits = 4, .palette = palette, .pixels = "\x01\x10\0\0"s});
  EXPECT_EQ(decode(four_bits, {1, 0, 2, 1}).value(), (Values{200, 100, 50, 200, 100, 50}));
  const Encoded eight_bits =
      bmp_file({.size = {2, 1}, .bits = 8, .palette = palette, .pixels = "\x01\0\0\0"s});
  EXPECT_EQ(decode(eight_bits, {0, 0, 2, 1}).value(), (Values{200, 100, 50, 10, 20, 30}));
}

TEST(BmpDecodeTest, AColourOutsideThePaletteIsCorrupt) {
  const Encoded bytes =
      bmp_file({.size = {2, 1}, .bits = 8, .palette = gray_palette(3), .pixels = "\0\x03\0\0"s});
  EXPECT_EQ(decode(bytes, {0, 0, 1, 1}).value(), (Values{0, 0, 0}));
  const Status status = decode(bytes, {0, 0, 2, 1}).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(), "pixel has colour 3, expected less than 3");
}

// 5 bits: 31 is 255, 16 is 131.6; red is the high one.
TEST(BmpDecodeTest, SpreadsFiveBitsOverEight) {
  const Encoded bytes = bmp_file({.size = {1, 1}, .bits = 16, .pixels = "\x1f\x42\0\0"s});
  EXPECT_EQ(decode(bytes, {0, 0, 1, 1}).value(), (Values{131, 131, 255}));
}

TEST(BmpDecodeTest, TakesMasks) {
  const std::string five_six_five = "\0\xf8\0\0\xe0\x07\0\0\x1f\0\0\0"s;
  const Encoded sixteen = bmp_file({.size = {1, 1},
                                    .bits = 16,
                                    .compression = 3,
                                    .masks = five_six_five,
                                    .pixels = "\xe0\x87\0\0"s});
  EXPECT_EQ(decode(sixteen, {0, 0, 1, 1}).value(), (Values{131, 255, 0}));
  const std::string rgbx = "\xff\0\0\0\0\xff\0\0\0\0\xff\0"s;
  const Encoded thirty_two = bmp_file(
      {.size = {1, 1}, .bits = 32, .compression = 3, .masks = rgbx, .pixels = "\x01\x02\x03\x04"s});
  EXPECT_EQ(decode(thirty_two, {0, 0, 1, 1}).value(), (Values{1, 2, 3}));
}

// 0.299 * 200 + 0.587 * 100 + 0.114 * 50 = 124.2
TEST(BmpDecodeTest, MakesGrayOfColour) {
  const Encoded bytes = bmp_file({.size = {1, 1}, .pixels = "\x32\x64\xc8\0"s});
  EXPECT_EQ(decode(bytes, {0, 0, 1, 1}, 1).value(), (Values{124}));
}

// From the lowest row up: a run, literals (padded to an even number of bytes), a skip of a column.
constexpr std::string_view kEightBitRows(
    "\x03\x01\0\0\0\x03\x02\x03\x04\0\0\0\x01\x05\0\x02\x01\0\x01\x06", 20);

Encoded eight_bit_rle(std::string_view end) {
  return bmp_file({.size = {4, 3},
                   .bits = 8,
                   .compression = 1,
                   .palette = gray_palette(7),
                   .pixels = std::string(kEightBitRows) + std::string(end)});
}

TEST(BmpRleTest, DecodesEightBits) {
  const Encoded bytes = eight_bit_rle("\0\0\0\x01"s);
  EXPECT_EQ(decode(bytes, {0, 0, 4, 3}, 1).value(),
            (Values{50, 0, 60, 0, 20, 30, 40, 0, 10, 10, 10, 0}));
  EXPECT_EQ(decode(bytes, {1, 1, 2, 1}, 1).value(), (Values{30, 40}));
}

TEST(BmpRleTest, AnEndBeforeTheLastRowIsCompleteIsCorrupt) {
  EXPECT_EQ(decode(eight_bit_rle("\0\x01"s), {0, 0, 4, 3}).status().message(),
            "pixels end after 22 bytes, at stored row 2 of 3");
}

TEST(BmpRleTest, DecodesFourBits) {
  const Encoded bytes = bmp_file({.size = {5, 2},
                                  .bits = 4,
                                  .compression = 2,
                                  .palette = gray_palette(7),
                                  .pixels = "\x05\x12\0\0\0\x05\x34\x56\x10\0\0\0"s});
  EXPECT_EQ(decode(bytes, {0, 0, 5, 2}, 1).value(),
            (Values{30, 40, 50, 60, 10, 10, 20, 10, 20, 10}));
}

TEST(BmpRleTest, ARunEndsWithItsRow) {
  const Encoded bytes = bmp_file({.size = {2, 2},
                                  .bits = 8,
                                  .compression = 1,
                                  .palette = gray_palette(3),
                                  .pixels = "\x09\x01\0\0\x02\x02"s});
  EXPECT_EQ(decode(bytes, {0, 0, 2, 2}, 1).value(), (Values{20, 20, 10, 10}));
}

TEST(BmpRleTest, LiteralsBeyondTheRowAreCorrupt) {
  const Encoded bytes = bmp_file({.size = {2, 2},
                                  .bits = 8,
                                  .compression = 1,
                                  .palette = gray_palette(3),
                                  .pixels = "\0\x03\0\0\0\0"s});
  EXPECT_EQ(decode(bytes, {0, 0, 1, 1}).status().message(),
            "row of more than 2 pixels at stored row 0");
}

TEST(BmpRleTest, ASkipOutOfTheImageIsCorrupt) {
  const Encoded bytes = bmp_file({.size = {2, 2},
                                  .bits = 8,
                                  .compression = 1,
                                  .palette = gray_palette(3),
                                  .pixels = "\x01\x01\0\x02\x02\0"s});
  EXPECT_EQ(decode(bytes, {0, 0, 1, 1}).status().message(),
            "skip of 2 columns and 0 rows from 1 at stored row 0, expected to stay in the image of "
            "2x2");
}

TEST(BmpRleTest, EveryCutIsCorruptWhateverTheRegion) {
  const Encoded bytes = bmp_file({.size = {5, 2},
                                  .bits = 4,
                                  .compression = 2,
                                  .palette = gray_palette(7),
                                  .pixels = "\x05\x12\0\0\0\x05\x34\x56\x10"s});
  ASSERT_TRUE(decode(bytes, {0, 0, 1, 1}).ok());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(decode(Bytes(bytes).first(size), {0, 1, 1, 1}).status().code(), Code::kCorrupt);
  }
}

TEST(BmpHeaderTest, SaysHowFarATruncatedFileGot) {
  const Encoded bytes = encode_bmp(busy_image({3, 2}, 3).view());
  EXPECT_EQ(read_bmp_header(Bytes(bytes).first(60)).status().message(),
            "truncated after 60 of 75 bytes");
  EXPECT_TRUE(read_bmp_header(Bytes(bytes).first(75)).ok());
}

TEST(BmpHeaderTest, ReadsTheHeaderOfOs2) {
  const std::string file = "BM" + bmp_number(0, 8) + bmp_number(26 + 6, 4) + bmp_number(12, 4) +
                           bmp_number(2, 2) + bmp_number(1, 2) + bmp_number(1, 2) +
                           bmp_number(1, 2) + "\x01\x02\x03\x04\x05\x06" + "\x40\0\0\0"s;
  EXPECT_EQ(decode(std::as_bytes(std::span(file)), {0, 0, 2, 1}).value(),
            (Values{3, 2, 1, 6, 5, 4}));
}

TEST(BmpHeaderTest, FindsPixelsThatTheHeaderPutsOnThePalette) {
  Encoded bytes =
      bmp_file({.size = {1, 1}, .bits = 8, .palette = gray_palette(2), .pixels = "\x01\0\0\0"s});
  bytes[10] = std::byte{54};
  EXPECT_EQ(decode(bytes, {0, 0, 1, 1}, 1).value(), (Values{10}));
}

TEST(BmpHeaderTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(read_bmp_header(bmp_file({.size = {1, 1}, .bits = 2})).status().message(),
            "2 bits a pixel, expected 1, 4, 8, 16, 24 or 32");
  EXPECT_EQ(read_bmp_header(bmp_file({.size = {1, 1}, .compression = 4})).status().message(),
            "compression 4 of 24 bits a pixel, expected 0, 1 (8 bits), 2 (4 bits) or 3 (16 to 32 "
            "bits)");
  EXPECT_EQ(read_bmp_header(bmp_file({.size = {0, 1}})).status().message(),
            "image is 0x1, expected sides from 1 to 2147483647");
  Encoded bytes = bmp_file({.size = {1, 1}});
  bytes[14] = std::byte{41};
  EXPECT_EQ(read_bmp_header(bytes).status().message(),
            "header is 41 bytes, expected 12, 40, 52, 56, 64, 108 or 124");
}

TEST(BmpHeaderTest, TooManyPixelsAreUnsupported) {
  const Status status = read_bmp_header(bmp_file({.size = {70000, 70000}, .bits = 1})).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_EQ(status.message(), "image is 70000x70000, expected at most 715827882 pixels");
}

}  // namespace
}  // namespace penstock::decode
