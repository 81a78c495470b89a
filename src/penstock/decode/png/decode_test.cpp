#include "penstock/decode/png/decode.h"

#include <gtest/gtest.h>
#include <spng.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "penstock/decode/png/encode.h"
#include "penstock/decode/png/header.h"
#include "penstock/decode/png/inflate.h"
#include "penstock/decode/png/test_png.h"
#include "penstock/decode/scratch.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {
namespace {

// Kinds of files that encode_png does not write.
struct RawPng {
  spng_ihdr header;  // width, height, depth, colour type, 0, 0, interlace
  std::vector<std::uint8_t> samples;
  std::vector<spng_plte_entry> palette = {};
  std::optional<spng_trns> transparency = {};
};

Encoded encode_raw(RawPng png) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
  spng_set_ihdr(context, &png.header);
  if (!png.palette.empty()) {
    spng_plte palette{};
    palette.n_entries = static_cast<std::uint32_t>(png.palette.size());
    std::copy(png.palette.begin(), png.palette.end(), palette.entries);
    spng_set_plte(context, &palette);
  }
  if (png.transparency) spng_set_trns(context, &*png.transparency);
  EXPECT_EQ(spng_encode_image(context, png.samples.data(), png.samples.size(), SPNG_FMT_PNG,
                              SPNG_ENCODE_FINALIZE),
            0);
  std::size_t size_bytes = 0;
  int error = 0;
  void* encoded = spng_get_png_buffer(context, &size_bytes, &error);
  const auto* begin = static_cast<const std::byte*>(encoded);
  Encoded bytes(begin, begin + size_bytes);
  std::free(encoded);
  spng_ctx_free(context);
  return bytes;
}

Result<std::vector<std::uint8_t>> decode(Bytes bytes, const Rect& region,
                                         const DecodeOptions& options) {
  DecodeScratch scratch;
  PENSTOCK_TRY_ASSIGN(const ImagePart part, decode_png(bytes, {region}, options, scratch));
  return copied_region(part, region);
}

Result<std::vector<std::uint8_t>> decode(Bytes bytes, const Rect& region, int channels = 3) {
  return decode(bytes, region, {.channels = channels});
}

TEST(PngDecodeTest, GivesBackRgb) {
  const Pixels image = busy_image({37, 23}, 3);
  EXPECT_EQ(decode(encode_png(image.view()).value(), whole(image)).value(), image.values);
}

TEST(PngDecodeTest, GivesBackGray) {
  const Pixels image = busy_image({37, 23}, 1);
  EXPECT_EQ(decode(encode_png(image.view()).value(), whole(image), 1).value(), image.values);
}

TEST(PngDecodeTest, GivesTheRegion) {
  for (const std::uint8_t interlace : {0, 1}) {
    for (const ImageSize size : {ImageSize{1, 1}, {3, 2}, {5, 9}, {37, 23}}) {
      const Pixels image = busy_image(size, 3);
      const Encoded bytes =
          encode_raw({{static_cast<std::uint32_t>(size.width),
                       static_cast<std::uint32_t>(size.height), 8, 2, 0, 0, interlace},
                      image.values});
      Rng rng({.seed = 1});
      for (int i = 0; i < 20; ++i) {
        const Rect region = random_region(size, rng);
        DecodeScratch scratch;
        const auto part = decode_png(bytes, {region, 8}, {}, scratch);
        ASSERT_TRUE(part.ok()) << part.status().message();
        EXPECT_EQ(part->eighths, 8);
        EXPECT_EQ(difference(*part, region, image), "");
      }
    }
  }
}

TEST(PngDecodeTest, LooksUpPalettesAndDropsTransparency) {
  spng_trns transparency{};
  transparency.n_type3_entries = 1;
  const RawPng png{
      {2, 1, 8, 3, 0, 0, 0}, {1, 0}, {{10, 20, 30, 255}, {200, 100, 50, 255}}, transparency};
  EXPECT_EQ(decode(encode_raw(png), {0, 0, 2, 1}).value(), (Values{200, 100, 50, 10, 20, 30}));
}

TEST(PngDecodeTest, SpreadsLowDepthsOverEightBits) {
  // Two bits a pixel: 0, 1, 2, 3.
  const Encoded bytes = encode_raw({{4, 1, 2, 0, 0, 0, 0}, {0b00011011}});
  EXPECT_EQ(decode(bytes, {0, 0, 4, 1}, 1).value(), (Values{0, 85, 170, 255}));
  EXPECT_EQ(decode(bytes, {1, 0, 2, 1}, 3).value(), (Values{85, 85, 85, 170, 170, 170}));
}

TEST(PngDecodeTest, TakesTheHighByteOfSixteenBits) {
  std::vector<std::uint16_t> samples = {0x1234, 0x80ff, 0xfe00};
  const auto* begin = reinterpret_cast<const std::uint8_t*>(samples.data());
  const Encoded bytes = encode_raw({{1, 1, 16, 2, 0, 0, 0}, Values(begin, begin + 6)});
  EXPECT_EQ(decode(bytes, {0, 0, 1, 1}).value(), (Values{0x12, 0x80, 0xfe}));
}

TEST(PngDecodeTest, TakesTheHighByteOfSixteenBitGray) {
  std::vector<std::uint16_t> samples = {0x1234, 0x80ff};
  const auto* begin = reinterpret_cast<const std::uint8_t*>(samples.data());
  const Encoded bytes = encode_raw({{2, 1, 16, 0, 0, 0, 0}, Values(begin, begin + 4)});
  EXPECT_EQ(decode(bytes, {0, 0, 2, 1}, 1).value(), (Values{0x12, 0x80}));
}

TEST(PngDecodeTest, DropsAlphaWithoutBlending) {
  const Encoded rgba = encode_raw({{1, 1, 8, 6, 0, 0, 0}, {10, 20, 30, 0}});
  EXPECT_EQ(decode(rgba, {0, 0, 1, 1}).value(), (Values{10, 20, 30}));
  const Encoded gray = encode_raw({{1, 1, 8, 4, 0, 0, 0}, {77, 0}});
  EXPECT_EQ(decode(gray, {0, 0, 1, 1}).value(), (Values{77, 77, 77}));
  EXPECT_EQ(decode(gray, {0, 0, 1, 1}, 1).value(), (Values{77}));
}

// 0.299 * 200 + 0.587 * 100 + 0.114 * 50 = 124.2
TEST(PngDecodeTest, MakesGrayOfColour) {
  const Encoded bytes = encode_raw({{1, 1, 8, 2, 0, 0, 0}, {200, 100, 50}});
  EXPECT_EQ(decode(bytes, {0, 0, 1, 1}, 1).value(), (Values{124}));
}

TEST(PngDamageTest, EveryPrefixIsAnErrorOrHasEveryPixel) {
  for (const std::uint8_t interlace : {0, 1}) {
    const Pixels image = busy_image({21, 17}, 3);
    const Encoded bytes = encode_raw({{21, 17, 8, 2, 0, 0, interlace}, image.values});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const auto cut = decode(Bytes(bytes).first(size), whole(image));
      if (cut.ok()) {
        // Only the checksum of the empty end chunk may be missing.
        EXPECT_GE(size, bytes.size() - 4);
        EXPECT_EQ(*cut, image.values);
      } else {
        EXPECT_EQ(cut.status().code(), Code::kCorrupt) << size << ": " << cut.status().message();
      }
    }
  }
}

TEST(PngDamageTest, SaysHowFarATruncatedFileGot) {
  const Pixels image = busy_image({40, 30}, 3);
  const Encoded bytes = encode_png(image.view()).value();
  const Status status = decode(Bytes(bytes).first(1000), whole(image)).status();
  EXPECT_EQ(
      status.message(),
      "truncated after 1000 bytes, in the IDAT chunk at byte 33, expected 3294 bytes of content");
}

TEST(PngDamageTest, AWrongChecksumIsCorruptIfSumsAreChecked) {
  const Pixels image = busy_image({40, 30}, 3);
  Encoded bytes = encode_png(image.view()).value();
  bytes[bytes.size() - 13] ^= std::byte{1};  // before the IEND chunk of 12 bytes
  const Status status = decode(bytes, whole(image), {.checks_sums = true}).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(), "wrong checksum of the IDAT chunk at byte 33");
  EXPECT_EQ(decode(bytes, whole(image)).value(), image.values);
}

TEST(PngDamageTest, FlippedBitsNeverCrash) {
  const Pixels image = busy_image({21, 17}, 3);
  const Encoded bytes = encode_png(image.view()).value();
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    Encoded damaged = bytes;
    damaged[place] ^= static_cast<std::byte>(1 << place % 8);
    (void)decode(damaged, whole(image)).ok();
  }
}

// Five rows, of which row 3 has no valid filter and row 4 needs it.
TEST(PngDamageTest, AWrongFilterCountsWhereItIsNeeded) {
  const PngFormat format{{2, 5}, 8, PngColour::kGray, false};
  const Encoded bytes = write_png({format, {0, 1, 2, 1, 3, 4, 0, 5, 6, 9, 7, 8, 2, 9, 10}});
  EXPECT_EQ(decode(bytes, {0, 0, 2, 3}, 1).value(), (Values{1, 2, 3, 7, 5, 6}));
  const Status status = decode(bytes, {0, 4, 2, 1}, 1).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(), "row 3 of 5 has filter 9, expected 0 to 4");
}

TEST(PngDamageTest, DataThatEndsBelowTheRegionIsCorrupt) {
  const PngFormat format{{2, 3}, 8, PngColour::kGray, false};
  const Encoded bytes = write_png({format, {0, 1, 2, 0, 3, 4}});
  EXPECT_EQ(decode(bytes, {0, 0, 2, 1}).status().message(),
            "image data inflates to 6 bytes, expected 9");
}

// A gigabyte of rows from a few bytes: refused before there is memory for them.
TEST(PngDamageTest, AnImplausibleSizeIsCorruptAndTakesNoMemory) {
  const PngFormat format{{20000, 17000}, 8, PngColour::kRgb, false};
  DecodeScratch scratch;
  const Status status =
      decode_png(write_png({format, {0, 1, 2, 3}}), {{0, 0, 1, 1}}, {}, scratch).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(),
            "image data has 15 bytes, expected at least 988388 for 1020017000 bytes of rows");
  EXPECT_LT(scratch.size_bytes(), 20000u);
}

TEST(PngDamageTest, RowsOfTwoGibibytesAreUnsupported) {
  const PngFormat format{{20000, 20000}, 16, PngColour::kRgba, false};
  const Status status = decode(write_png({format, {}}), {0, 0, 1, 1}).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_EQ(status.message(), "image has 3200020000 bytes of rows, expected at most 2147483647");
}

// 70000 x 70000, one bit a pixel: the header chunk alone, with its right checksum.
TEST(PngDamageTest, TooManyPixelsAreUnsupported) {
  const std::uint8_t header[] = {0x89, 'P',  'N', 'G', '\r', '\n', 0x1a, '\n', 0,    0,   0,
                                 13,   'I',  'H', 'D', 'R',  0,    1,    0x11, 0x70, 0,   1,
                                 0x11, 0x70, 1,   0,   0,    0,    0,    0x17, 0x45, 0x9, 0x66};
  const Status status = decode(std::as_bytes(std::span(header)), {0, 0, 1, 1}).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_EQ(status.message(), "image is 70000x70000, expected at most 715827882 pixels");
}

TEST(PngHeaderTest, SaysTheSize) {
  const Encoded bytes = encode_png(busy_image({12, 7}, 3).view()).value();
  EXPECT_EQ(read_png_header(bytes)->size, (ImageSize{12, 7}));
  EXPECT_EQ(read_png_header(Bytes(bytes).first(33))->size, (ImageSize{12, 7}));
  EXPECT_EQ(read_png_header(Bytes(bytes).first(32)).status().message(),
            "truncated after 32 bytes, in the header");
}

TEST(PngHeaderTest, RefusesAnEmptyImage) {
  Encoded bytes = encode_png(busy_image({12, 7}, 3).view()).value();
  bytes[19] = std::byte{0};
  EXPECT_EQ(read_png_header(bytes).status().message(),
            "image is 0x7, expected sides from 1 to 2147483647");
}

// All rows, room behind them, and the file, whose data may be in pieces.
TEST(PngMemoryTest, IsThatOfAllRowsAndTheRegion) {
  const Encoded bytes = write_png({{{100, 50}, 8, PngColour::kRgb, false}, Values(50 * 301)});
  const ImageHeader header = *read_png_header(bytes);
  EXPECT_EQ(header.whole_bytes, 50u * 301u + 66048u + bytes.size());
  EXPECT_EQ(png_memory_bytes(header, {{0, 0, 10, 20}}, 3), header.whole_bytes + 600u);
}

TEST(PngMemoryTest, DoesNotOverflow) {
  const PngFormat format{{2147483647, 2147483647}, 16, PngColour::kRgba, false};
  const ImageHeader header = *read_png_header(png_start(format));
  const std::size_t most = png_memory_bytes(header, {{0, 0, 2147483647, 2147483647}}, 3);
  EXPECT_GT(most, header.whole_bytes);
  EXPECT_GT(2 * most, most);  // for a turned image
}

TEST(PngMemoryTest, AnImageAboveTheLimitIsRefused) {
  DecodeScratch scratch;
  scratch.limit_bytes = 100000;
  const Encoded bytes = encode_png(busy_image({200, 100}, 3).view()).value();
  EXPECT_EQ(decode_image(bytes, {{0, 0, 1, 1}}, {}, scratch).status().code(),
            Code::kResourceExhausted);
}

TEST(PngMemoryTest, ScratchCountsWhatDecodingKeeps) {
  DecodeScratch scratch;
  const Encoded bytes = encode_png(busy_image({200, 100}, 3).view()).value();
  ASSERT_TRUE(decode_png(bytes, {{0, 0, 1, 1}}, {}, scratch).ok());
  EXPECT_GE(scratch.size_bytes(), 100u * 601u + kInflateSlackBytes);
}

}  // namespace
}  // namespace penstock::decode
