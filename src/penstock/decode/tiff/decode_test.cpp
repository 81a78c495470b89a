#include "penstock/decode/tiff/decode.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "penstock/decode/scratch.h"
#include "penstock/decode/test_pixels.h"
#include "penstock/decode/tiff/layout.h"
#include "penstock/decode/tiff/test_tiff.h"

namespace penstock::decode {
namespace {

using Values = std::vector<std::uint8_t>;

Result<Values> decode(Bytes bytes, const Rect& region, int channels = 3) {
  DecodeScratch scratch;
  PENSTOCK_TRY_ASSIGN(const ImagePart part,
                      decode_tiff(bytes, {region}, {.channels = channels}, scratch));
  return copied_region(part, region);
}

TiffFile busy_file(ImageSize size) { return {size, busy_image(size, 3).values}; }

// Random regions of `bytes` have the pixels of `expected`.
void expect_regions(const Encoded& bytes, const Pixels& expected) {
  Rng rng({.seed = 1});
  for (int i = 0; i < 20; ++i) {
    const Rect region = random_region({expected.width, expected.height}, rng);
    DecodeScratch scratch;
    const auto part = decode_tiff(bytes, {region, 8}, {}, scratch);
    ASSERT_TRUE(part.ok()) << part.status().message();
    EXPECT_EQ(part->eighths, 8);
    EXPECT_EQ(difference(*part, region, expected), "");
  }
}

TEST(TiffDecodeTest, GivesTheRegionOfStrips) {
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                COMPRESSION_PACKBITS, COMPRESSION_LZMA, COMPRESSION_ZSTD}) {
    TiffFile file = busy_file({37, 23});
    file.compression = compression;
    expect_regions(tiff_file(file), busy_image({37, 23}, 3));
  }
}

TEST(TiffDecodeTest, GivesTheRegionOfTiles) {
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW}) {
    TiffFile file = busy_file({70, 41});
    file.compression = compression;
    file.tile_side = 16;
    expect_regions(tiff_file(file), busy_image({70, 41}, 3));
  }
}

TEST(TiffDecodeTest, ReadsBothByteOrdersAndBigTiff) {
  for (const char* mode : {"wl", "wb", "w8"}) {
    TiffFile file = busy_file({12, 9});
    file.mode = mode;
    EXPECT_EQ(decode(tiff_file(file), {0, 0, 12, 9}).value(), file.samples);
  }
}

TEST(TiffDecodeTest, GivesTheRegionOfJpegStripsAndTiles) {
  for (const int photometric : {PHOTOMETRIC_RGB, PHOTOMETRIC_YCBCR}) {
    for (const int tile_side : {0, 16}) {
      TiffFile file = busy_file({70, 41});
      file.compression = COMPRESSION_JPEG;
      file.photometric = photometric;
      file.tile_side = tile_side;
      file.rows_per_strip = 16;
      const Encoded bytes = tiff_file(file);
      expect_regions(bytes, {70, 41, 3, decode(bytes, {0, 0, 70, 41}).value()});
    }
  }
}

// Four pixels of gray with one chroma: red has more Cr than gray.
TEST(TiffDecodeTest, ConvertsSubsampledYcbcr) {
  const TiffFile file{{2, 2}, {10, 20, 30, 40, 128, 228}, 8, 3, PHOTOMETRIC_YCBCR};
  // 1.402 * 100 more red, 0.714 * 100 less green.
  EXPECT_EQ(decode(tiff_file(file), {0, 0, 2, 2}).value(),
            (Values{150, 0, 10, 160, 0, 20, 170, 0, 30, 180, 0, 40}));
}

TEST(TiffDecodeTest, GivesTheRegionOfSubsampledYcbcr) {
  for (const int orientation : {1, 3, 6}) {
    TiffFile file{{37, 23}, busy_image({50, 50}, 1).values, 8, 3, PHOTOMETRIC_YCBCR};
    file.compression = COMPRESSION_LZW;
    file.rows_per_strip = 8;
    file.orientation = orientation;
    const Encoded bytes = tiff_file(file);
    expect_regions(bytes, {37, 23, 3, decode(bytes, {0, 0, 37, 23}).value()});
  }
}

TEST(TiffDecodeTest, TakesTheHighByteOfSixteenBits) {
  for (const char* mode : {"wl", "wb"}) {
    TiffFile file{{1, 1}, {0x34, 0x12, 0xff, 0x80, 0x00, 0xfe}, 16};
    file.mode = mode;
    EXPECT_EQ(decode(tiff_file(file), {0, 0, 1, 1}).value(), (Values{0x12, 0x80, 0xfe}));
  }
}

TEST(TiffDecodeTest, SpreadsLowDepthsOverEightBits) {
  // Two bits a pixel: 0, 1, 2, 3.
  TiffFile file{{4, 1}, {0b00011011}, 2, 1, PHOTOMETRIC_MINISBLACK};
  EXPECT_EQ(decode(tiff_file(file), {0, 0, 4, 1}, 1).value(), (Values{0, 85, 170, 255}));
  file.photometric = PHOTOMETRIC_MINISWHITE;
  EXPECT_EQ(decode(tiff_file(file), {1, 0, 2, 1}, 1).value(), (Values{170, 85}));
}

TEST(TiffDecodeTest, ReadsFaxes) {
  for (const int compression : {COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4}) {
    TiffFile file{{8, 2}, {0b11110000, 0b11000011}, 1, 1, PHOTOMETRIC_MINISWHITE, compression};
    EXPECT_EQ(decode(tiff_file(file), {2, 1, 6, 1}, 1).value(), (Values{255, 255, 255, 255, 0, 0}));
  }
}

TEST(TiffDecodeTest, LooksUpPalettes) {
  TiffFile file{{2, 1}, {0x10}, 4, 1, PHOTOMETRIC_PALETTE};
  file.palette.assign(48, 0);
  file.palette[1] = 0xc8ff;
  file.palette[16] = 0x1000;
  file.palette[33] = 0x32c7;
  EXPECT_EQ(decode(tiff_file(file), {0, 0, 2, 1}).value(), (Values{200, 0, 50, 0, 16, 0}));
}

TEST(TiffDecodeTest, DropsAlphaWithoutBlending) {
  TiffFile file{{1, 1}, {10, 20, 30, 0}, 8, 4};
  file.extra = {EXTRASAMPLE_UNASSALPHA};
  EXPECT_EQ(decode(tiff_file(file), {0, 0, 1, 1}).value(), (Values{10, 20, 30}));
}

TEST(TiffDecodeTest, DividesColoursThatAlphaWasMultipliedInto) {
  TiffFile file{{2, 1}, {10, 20, 30, 51, 1, 2, 3, 0}, 8, 4};
  file.extra = {EXTRASAMPLE_ASSOCALPHA};
  EXPECT_EQ(decode(tiff_file(file), {0, 0, 2, 1}).value(), (Values{50, 100, 150, 0, 0, 0}));
}

// No black: 255 - ink. Half black: half of it.
TEST(TiffDecodeTest, ConvertsCmyk) {
  const TiffFile file{{2, 1}, {0, 55, 255, 0, 0, 55, 255, 127}, 8, 4, PHOTOMETRIC_SEPARATED};
  EXPECT_EQ(decode(tiff_file(file), {0, 0, 2, 1}).value(), (Values{255, 200, 0, 128, 100, 0}));
}

// 0.299 * 200 + 0.587 * 100 + 0.114 * 50 = 124.2
TEST(TiffDecodeTest, MakesGrayOfColour) {
  EXPECT_EQ(decode(tiff_file({{1, 1}, {200, 100, 50}}), {0, 0, 1, 1}, 1).value(), (Values{124}));
}

TEST(TiffDamageTest, ACutFileIsCorruptWhateverTheRegion) {
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_JPEG}) {
    TiffFile file = busy_file({21, 17});
    file.compression = compression;
    file.rows_per_strip = 8;
    const Encoded bytes = tiff_file(file);
    for (std::size_t size = 4; size < bytes.size(); ++size) {
      const auto cut = decode(Bytes(bytes).first(size), {0, 0, 1, 1});
      ASSERT_FALSE(cut.ok()) << size;
      EXPECT_EQ(cut.status().code(), Code::kCorrupt) << cut.status().message();
    }
  }
}

// The directory stands at the end; the strip that it names first is moved beyond.
TEST(TiffDamageTest, SaysWhatIsMissing) {
  TiffFile file = busy_file({4, 2});
  Encoded bytes = tiff_file(file);
  const std::string offset_tag("\x11\x01\x04\0\x01\0\0\0\x08\0\0\0", 12);
  const Bytes tag = std::as_bytes(std::span(offset_tag));
  const auto found = std::search(bytes.begin(), bytes.end(), tag.begin(), tag.end());
  ASSERT_NE(found, bytes.end());
  found[9] = std::byte{16};
  EXPECT_EQ(
      decode(bytes, {0, 0, 1, 1}).status().message(),
      "truncated after " + std::to_string(bytes.size()) + " bytes, expected 24 from byte 4104 on");
}

TEST(TiffDamageTest, ADamagedStripIsCorrupt) {
  for (const int compression : {COMPRESSION_ADOBE_DEFLATE, COMPRESSION_JPEG}) {
    TiffFile file = busy_file({64, 64});
    file.compression = compression;
    file.rows_per_strip = 64;
    Encoded bytes = tiff_file(file);
    std::fill(bytes.begin() + 1200, bytes.begin() + 1400, std::byte{0xff});
    const Status status = decode(bytes, {0, 0, 64, 64}).status();
    EXPECT_EQ(status.code(), Code::kCorrupt);
    EXPECT_TRUE(status.message().starts_with("damaged pixels: ")) << status.message();
  }
}

TEST(TiffDamageTest, FlippedBitsNeverCrash) {
  for (const int compression : {COMPRESSION_LZW, COMPRESSION_JPEG}) {
    TiffFile file = busy_file({21, 17});
    file.compression = compression;
    file.rows_per_strip = 8;
    const Encoded bytes = tiff_file(file);
    for (std::size_t place = 4; place < bytes.size(); ++place) {
      Encoded damaged = bytes;
      damaged[place] ^= static_cast<std::byte>(1 << place % 8);
      (void)decode(damaged, {0, 0, 1, 1}).ok();
    }
  }
}

TEST(TiffHeaderTest, SaysTheSizeAndTheOrientation) {
  TiffFile file = busy_file({12, 7});
  file.orientation = 6;
  const Encoded bytes = tiff_file(file);
  EXPECT_EQ(read_tiff_header(bytes)->size, (ImageSize{12, 7}));
  EXPECT_EQ(read_tiff_header(bytes)->orientation, 6);
}

TEST(TiffHeaderTest, OneBlockIsHeld) {
  EXPECT_EQ(read_tiff_header(tiff_file(busy_file({12, 20})))->whole_bytes, 12u * 7u * 3u);
}

TEST(TiffHeaderTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(read_tiff_header(tiff_file({{1, 1}, Values(12), 32})).status().message(),
            "3 samples of 32 bits a pixel, expected 8 or 16 bits, or one sample of 1, 2 or 4");
  EXPECT_EQ(
      read_tiff_header(tiff_file({{1, 1}, Values(3), 8, 3, PHOTOMETRIC_CIELAB})).status().message(),
      "colour space 8, expected gray (0, 1), RGB (2), palette (3), CMYK (5) or YCbCr (6)");
}

TEST(TiffHeaderTest, BytesWithoutADirectoryAreCorrupt) {
  const std::string file("II*\0\x40\0\0\0", 8);
  const Status status = read_tiff_header(std::as_bytes(std::span(file))).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_TRUE(status.message().starts_with("no directory in 8 bytes: ")) << status.message();
}

}  // namespace
}  // namespace penstock::decode
