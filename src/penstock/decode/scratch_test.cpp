#include "penstock/decode/scratch.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace penstock::decode {
namespace {

TEST(PixelBufferTest, RowsAreAlignedAndApart) {
  PixelBuffer buffer;
  const MutableImage image = buffer.prepare({50, 4}, 3);
  EXPECT_EQ(image.stride, 192u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(image.row(3)) % 64, 0u);
}

// The sanitizers check that the bytes past the last row are ours.
TEST(PixelBufferTest, BytesPastTheLastRowMayBeRead) {
  PixelBuffer buffer;
  const MutableImage image = buffer.prepare({64, 2}, 1);
  std::uint8_t* past_end = image.row(1) + 64;
  for (int i = 0; i < 64; ++i) past_end[i] = 1;
  EXPECT_EQ(past_end[63], 1);
}

TEST(PixelBufferTest, MemoryOnlyGrows) {
  PixelBuffer buffer;
  const std::uint8_t* data = buffer.prepare({100, 100}, 3).data;
  const std::size_t held = buffer.size_bytes();
  EXPECT_EQ(buffer.prepare({10, 10}, 3).data, data);
  EXPECT_EQ(buffer.size_bytes(), held);
}

}  // namespace
}  // namespace penstock::decode
