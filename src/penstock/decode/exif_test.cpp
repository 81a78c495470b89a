#include "penstock/decode/exif.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace penstock::decode {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// Two entries, the second of which is the orientation.
std::vector<std::byte> little_endian_block(int orientation) {
  return bytes_of({'I',  'I', 42, 0, 8, 0, 0, 0,                        // directory at 8
                   2,    0,                                             // two entries
                   0x0f, 1,   2,  0, 1, 0, 0, 0, 0,           0, 0, 0,  // Make
                   0x12, 1,   3,  0, 1, 0, 0, 0, orientation, 0, 0, 0});
}

TEST(ExifTest, ReadsLittleEndian) { EXPECT_EQ(exif_orientation(little_endian_block(6)), 6); }

TEST(ExifTest, ReadsBigEndian) {
  EXPECT_EQ(exif_orientation(bytes_of({'M', 'M',  0, 42, 0, 0, 0, 8, 0, 1,  //
                                       1,   0x12, 0, 3,  0, 0, 0, 1, 0, 8, 0, 0})),
            8);
}

TEST(ExifTest, ValuesOutOfRangeMeanUpright) {
  EXPECT_EQ(exif_orientation(little_endian_block(0)), 1);
  EXPECT_EQ(exif_orientation(little_endian_block(9)), 1);
}

TEST(ExifTest, EveryPrefixMeansUpright) {
  const std::vector<std::byte> block = little_endian_block(6);
  for (std::size_t size = 0; size < block.size(); ++size) {
    EXPECT_EQ(exif_orientation(Bytes(block).first(size)), 1) << size;
  }
}

TEST(ExifTest, ADirectoryOutsideTheBlockMeansUpright) {
  EXPECT_EQ(exif_orientation(bytes_of({'I', 'I', 42, 0, 255, 255, 255, 255})), 1);
}

}  // namespace
}  // namespace penstock::decode
