#include "penstock/decode/jpeg/markers.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "penstock/base/text.h"

namespace penstock::decode {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(SegmentReaderTest, GivesSegmentsUpToTheScan) {
  const auto bytes =
      bytes_of({0xff, 0xd8, 0xff, 0xdb, 0, 4, 7, 8, 0xff, 0xda, 0, 3, 9, 0x11, 0x22});
  SegmentReader reader(bytes);
  const auto first = reader.next();
  ASSERT_TRUE(first.ok() && *first);
  EXPECT_EQ((*first)->marker, unsigned{kDqt});
  EXPECT_EQ((*first)->offset, 4u);
  EXPECT_EQ((*first)->payload.size(), 2u);
  EXPECT_EQ(byte_at((*first)->payload, 1), 8u);
  EXPECT_TRUE((*first)->is_whole);
  const auto second = reader.next();
  ASSERT_TRUE(second.ok() && *second);
  EXPECT_EQ((*second)->marker, unsigned{kSos});
  EXPECT_EQ(reader.position(), 13u);
}

TEST(SegmentReaderTest, PassesOverFillBytes) {
  const auto bytes = bytes_of({0xff, 0xd8, 0xff, 0xff, 0xff, 0xdd, 0, 4, 0, 5});
  SegmentReader reader(bytes);
  const auto segment = reader.next();
  ASSERT_TRUE(segment.ok() && *segment);
  EXPECT_EQ((*segment)->marker, unsigned{kDri});
  EXPECT_EQ((*segment)->offset, 6u);
}

TEST(SegmentReaderTest, PassesOverGarbage) {
  const auto bytes = bytes_of({0xff, 0xd8, 1, 2, 0xff, 0, 3, 0xff, 0xdd, 0, 4, 0, 5});
  SegmentReader reader(bytes);
  const auto segment = reader.next();
  ASSERT_TRUE(segment.ok() && *segment);
  EXPECT_EQ((*segment)->marker, unsigned{kDri});
  EXPECT_EQ((*segment)->offset, 9u);
}

TEST(SegmentReaderTest, PassesOverMarkersWithoutALength) {
  const auto bytes = bytes_of({0xff, 0xd8, 0xff, 0x01, 0xff, 0xd3, 0xff, 0xdd, 0, 4, 0, 5});
  SegmentReader reader(bytes);
  const auto segment = reader.next();
  ASSERT_TRUE(segment.ok() && *segment);
  EXPECT_EQ((*segment)->marker, unsigned{kDri});
}

TEST(SegmentReaderTest, AnEmptySegmentHasNoPayload) {
  const auto bytes = bytes_of({0xff, 0xd8, 0xff, 0xfe, 0, 2});
  SegmentReader reader(bytes);
  const auto segment = reader.next();
  ASSERT_TRUE(segment.ok() && *segment);
  EXPECT_TRUE((*segment)->payload.empty());
  EXPECT_TRUE((*segment)->is_whole);
}

TEST(SegmentReaderTest, ACutSegmentHasWhatIsThere) {
  const auto bytes = bytes_of({0xff, 0xd8, 0xff, 0xdb, 0, 67, 1, 2, 3});
  SegmentReader reader(bytes);
  const auto segment = reader.next();
  ASSERT_TRUE(segment.ok() && *segment);
  EXPECT_EQ((*segment)->payload.size(), 3u);
  EXPECT_FALSE((*segment)->is_whole);
  EXPECT_EQ(reader.position(), bytes.size());
}

TEST(SegmentReaderTest, ALengthBelowTwoIsCorrupt) {
  for (const int length : {0, 1}) {
    const auto bytes = bytes_of({0xff, 0xd8, 0xff, 0xdb, 0, length, 1});
    const Status status = SegmentReader(bytes).next().status();
    EXPECT_EQ(status.code(), Code::kCorrupt);
    EXPECT_EQ(status.message(),
              concat("segment at byte 4 has length ", length, ", expected at least 2"));
  }
}

TEST(SegmentReaderTest, ASecondStartIsCorrupt) {
  const auto bytes = bytes_of({0xff, 0xd8, 0xff, 0xff, 0xd8, 0xff, 0xdd, 0, 4, 0, 5});
  const Status status = SegmentReader(bytes).next().status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(), "second start of an image at byte 3");
}

TEST(SegmentReaderTest, EndsAtTheEndMarker) {
  const auto bytes = bytes_of({0xff, 0xd8, 0xff, 0xd9, 0xff, 0xdd, 0, 4, 0, 5});
  const auto segment = SegmentReader(bytes).next();
  ASSERT_TRUE(segment.ok());
  EXPECT_FALSE(*segment);
}

TEST(SegmentReaderTest, EndsWhereTheBytesEnd) {
  const auto bytes = bytes_of({0xff, 0xd8, 0xff, 0xff, 0xff, 0xdb, 0, 2});
  for (std::size_t size = 0; size <= 7; ++size) {
    const auto segment = SegmentReader(Bytes(bytes).first(size)).next();
    ASSERT_TRUE(segment.ok()) << size;
    EXPECT_FALSE(*segment) << size;
  }
}

TEST(MarkersTest, FrameHeadersAreThoseOfT81) {
  std::vector<unsigned> found;
  for (unsigned marker = 0; marker < 256; ++marker) {
    if (is_frame_header(marker)) found.push_back(marker);
  }
  EXPECT_EQ(found, (std::vector<unsigned>{0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca,
                                          0xcb, 0xcd, 0xce, 0xcf}));
}

}  // namespace
}  // namespace penstock::decode
