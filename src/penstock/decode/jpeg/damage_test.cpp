// What decode_jpeg makes of files that are cut, damaged or hostile.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "penstock/decode/jpeg/decode.h"
#include "penstock/decode/jpeg/encode.h"
#include "penstock/decode/scratch.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {
namespace {

constexpr ImageSize kSize{40, 56};

Encoded encode(const JpegOptions& options) {
  return encode_jpeg(busy_image(kSize, 3).view(), options).value();
}

Result<std::vector<std::uint8_t>> decode(Bytes bytes, const Rect& region) {
  DecodeScratch scratch;
  PENSTOCK_TRY_ASSIGN(const ImagePart part, decode_jpeg(bytes, {region}, {}, scratch));
  return copied_region(part, region);
}

Result<std::vector<std::uint8_t>> decode(Bytes bytes) {
  return decode(bytes, {0, 0, kSize.width, kSize.height});
}

std::size_t find_marker(const Encoded& bytes, int code) {
  const std::byte marker[] = {std::byte{0xff}, static_cast<std::byte>(code)};
  const auto found = std::search(bytes.begin(), bytes.end(), std::begin(marker), std::end(marker));
  return static_cast<std::size_t>(found - bytes.begin());
}

class JpegPrefixTest : public testing::TestWithParam<JpegOptions> {};

TEST_P(JpegPrefixTest, IsAnErrorOrHasEveryPixel) {
  const Encoded bytes = encode(GetParam());
  const auto whole = decode(bytes).value();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = decode(Bytes(bytes).first(size));
    if (cut.ok()) {
      // Only the end marker may be missing.
      EXPECT_GE(size, bytes.size() - 2);
      EXPECT_EQ(*cut, whole);
    } else {
      EXPECT_EQ(cut.status().code(), Code::kCorrupt) << size << ": " << cut.status().message();
    }
  }
}

TEST_P(JpegPrefixTest, IsAnErrorOrHasEveryPixelOfTheRegion) {
  const Encoded bytes = encode(GetParam());
  const Rect region{3, 10, 20, 12};
  const auto expected = decode(bytes, region).value();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = decode(Bytes(bytes).first(size), region);
    if (cut.ok()) {
      EXPECT_EQ(*cut, expected) << size;
    } else {
      EXPECT_EQ(cut.status().code(), Code::kCorrupt) << size << ": " << cut.status().message();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, JpegPrefixTest,
    testing::Values(JpegOptions{.sampling = ChromaSampling::k444},
                    JpegOptions{.sampling = ChromaSampling::k420},
                    JpegOptions{.sampling = ChromaSampling::k422, .restart_interval = 2},
                    JpegOptions{.is_progressive = true},
                    JpegOptions{.is_progressive = true, .restart_interval = 2},
                    JpegOptions{.is_arithmetic = true},
                    JpegOptions{.is_progressive = true, .is_arithmetic = true}));

TEST(JpegDamageTest, SaysHowFarATruncatedFileGot) {
  const Encoded bytes = encode({.quality = 100, .sampling = ChromaSampling::k444});
  const Status status = decode(Bytes(bytes).first(4000)).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(), "truncated after 4000 bytes, at row 24 of 56");
}

TEST(JpegDamageTest, SaysThatTheHeaderIsTruncated) {
  const Status status = decode(Bytes(encode({})).first(100)).status();
  EXPECT_EQ(status.message(), "truncated after 100 bytes, in the header");
}

TEST(JpegDamageTest, AFlawBelowTheRegionIsNotSeen) {
  Encoded bytes = encode({.sampling = ChromaSampling::k444});
  const Rect region{0, 0, 40, 8};
  const auto expected = decode(bytes, region).value();
  // A restart marker where none may be.
  bytes[bytes.size() * 3 / 4] = std::byte{0xff};
  bytes[bytes.size() * 3 / 4 + 1] = std::byte{0xd0};
  EXPECT_EQ(decode(bytes, region).value(), expected);
  EXPECT_EQ(decode(bytes).status().code(), Code::kCorrupt);
}

TEST(JpegDamageTest, ACutBelowTheRegionIsCorrupt) {
  Encoded bytes = encode({.sampling = ChromaSampling::k444});
  bytes.resize(bytes.size() * 3 / 4);
  EXPECT_EQ(decode(bytes, {0, 0, 40, 8}).status().code(), Code::kCorrupt);
}

TEST(JpegDamageTest, OnlyTheEndMarkerMayBeMissingBelowTheRegion) {
  Encoded bytes = encode({.sampling = ChromaSampling::k444});
  const Rect region{0, 0, 40, 8};
  const auto expected = decode(bytes, region).value();
  bytes.resize(bytes.size() - 2);
  EXPECT_EQ(decode(bytes, region).value(), expected);
}

TEST(JpegDamageTest, BytesAfterTheImageAreIgnored) {
  Encoded bytes = encode({});
  const auto expected = decode(bytes).value();
  bytes.insert(bytes.end(), 100, std::byte{0x5a});
  EXPECT_EQ(decode(bytes).value(), expected);
}

TEST(JpegDamageTest, PaddingInTheHeaderIsIgnored) {
  Encoded bytes = encode({});
  const auto expected = decode(bytes).value();
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(find_marker(bytes, 0xdb)), 7,
               std::byte{0});
  EXPECT_EQ(decode(bytes).value(), expected);
}

TEST(JpegDamageTest, AMissingRestartMarkerIsCorrupt) {
  Encoded bytes = encode({.restart_interval = 1});
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(find_marker(bytes, 0xd1));
  bytes.erase(place, place + 2);
  EXPECT_EQ(decode(bytes).status().code(), Code::kCorrupt);
}

TEST(JpegDamageTest, AnEndMarkerInTheMiddleIsCorrupt) {
  Encoded bytes = encode({.restart_interval = 1});
  bytes[find_marker(bytes, 0xd1) + 1] = std::byte{0xd9};
  EXPECT_EQ(decode(bytes).status().code(), Code::kCorrupt);
}

TEST(JpegDamageTest, AProgressiveFileWithoutItsFirstScanIsCorrupt) {
  Encoded bytes = encode({.is_progressive = true});
  bytes.resize(find_marker(bytes, 0xda));
  for (const int byte : {0xff, 0xd9}) bytes.push_back(static_cast<std::byte>(byte));
  EXPECT_EQ(decode(bytes).status().code(), Code::kCorrupt);
}

TEST(JpegDamageTest, TwelveBitFilesAreUnsupported) {
  Encoded bytes = encode({});
  bytes[find_marker(bytes, 0xc0) + 4] = std::byte{12};
  const Status status = decode(bytes).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_EQ(status.message(), "unsupported JPEG data precision 12");
}

// A small file that claims to be large must not make us ask for gigabytes.
TEST(JpegDamageTest, AnImplausibleProgressiveSizeIsCorrupt) {
  Encoded bytes = encode({.is_progressive = true});
  const std::size_t frame = find_marker(bytes, 0xc2);
  for (const std::size_t side : {frame + 5, frame + 7}) bytes[side] = std::byte{0x40};
  const Status status = decode(bytes).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_TRUE(status.message().ends_with("too few for an image of 16424x16440"))
      << status.message();
}

TEST(JpegDamageTest, TooManyPixelsAreUnsupported) {
  Encoded bytes = encode({});
  const std::size_t frame = find_marker(bytes, 0xc0);
  for (const std::size_t side : {frame + 5, frame + 7}) bytes[side] = std::byte{0xf0};
  const Status status = decode(bytes).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_EQ(status.message(), "image is 61480x61496, expected at most 715827882 pixels");
}

TEST(JpegDamageTest, FlippedBitsNeverCrash) {
  for (const bool is_progressive : {false, true}) {
    const Encoded bytes = encode({.is_progressive = is_progressive, .restart_interval = 4});
    for (std::size_t place = 0; place < bytes.size(); place += 3) {
      Encoded damaged = bytes;
      damaged[place] ^= static_cast<std::byte>(1 << place % 8);
      (void)decode(damaged).ok();
    }
  }
}

}  // namespace
}  // namespace penstock::decode
