#include "penstock/decode/jpeg/header.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "penstock/decode/jpeg/encode.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {
namespace {

Encoded bytes_of(std::initializer_list<int> values) {
  Encoded bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// Start of image, then a frame header for 3 x 2 pixels.
Encoded small_header() {
  return bytes_of({0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0});
}

TEST(JpegHeaderTest, SaysTheSize) {
  EXPECT_EQ(read_jpeg_header(small_header())->size, (ImageSize{3, 2}));
}

TEST(JpegHeaderTest, SaysTheOrientation) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Encoded bytes =
        encode_jpeg(busy_image({8, 9}, 3).view(), {.orientation = orientation}).value();
    const auto header = read_jpeg_header(bytes);
    EXPECT_EQ(header->size, (ImageSize{8, 9}));
    EXPECT_EQ(header->orientation, orientation);
  }
}

TEST(JpegHeaderTest, PassesOverGarbageAndFillBytes) {
  Encoded bytes = small_header();
  for (const int byte : {0xff, 0xff, 0x00, 0x12}) {
    bytes.insert(bytes.begin() + 2, static_cast<std::byte>(byte));
  }
  EXPECT_EQ(read_jpeg_header(bytes)->size, (ImageSize{3, 2}));
}

TEST(JpegHeaderTest, EveryPrefixBeforeTheSizeIsCorrupt) {
  const Encoded bytes = small_header();
  for (std::size_t size = 2; size < 12; ++size) {
    const Status status = read_jpeg_header(Bytes(bytes).first(size)).status();
    EXPECT_EQ(status.code(), Code::kCorrupt) << size;
  }
}

TEST(JpegHeaderTest, RefusesAnEmptyImage) {
  Encoded bytes = small_header();
  bytes[8] = std::byte{0};
  EXPECT_EQ(read_jpeg_header(bytes).status().message(), "image is 3x0, expected at least 1x1");
}

TEST(JpegHeaderTest, RefusesALengthThatDoesNotCountItself) {
  EXPECT_EQ(read_jpeg_header(bytes_of({0xff, 0xd8, 0xff, 0xe0, 0, 1, 0})).status().message(),
            "segment at byte 4 has length 1, expected at least 2");
}

}  // namespace
}  // namespace penstock::decode
