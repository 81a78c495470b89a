#include "penstock/decode/orientation.h"

#include <gtest/gtest.h>

#include <vector>

#include "penstock/decode/test_pixels.h"

namespace penstock::decode {
namespace {

// 1 2 3
// 4 5 6
ImagePart stored_part() {
  static const std::vector<std::uint8_t> values = {1, 2, 3, 4, 5, 6};
  return {{values.data(), 3, 2, 1, 3}, {3, 2}};
}

std::vector<std::uint8_t> upright_values(int orientation) {
  PixelBuffer buffer;
  const ImagePart part = turn_upright(stored_part(), orientation, buffer);
  return copied_region(part, {0, 0, part.full_size.width, part.full_size.height});
}

using Values = std::vector<std::uint8_t>;

TEST(OrientationTest, TurnsEachOfTheEightWays) {
  EXPECT_EQ(upright_values(1), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(upright_values(2), (Values{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(upright_values(3), (Values{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(upright_values(4), (Values{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(upright_values(5), (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(upright_values(6), (Values{4, 1, 5, 2, 6, 3}));
  EXPECT_EQ(upright_values(7), (Values{6, 3, 5, 2, 4, 1}));
  EXPECT_EQ(upright_values(8), (Values{3, 6, 2, 5, 1, 4}));
}

TEST(OrientationTest, FindsTheRegionInTheStoredImage) {
  const Rect region{1, 2, 3, 4};  // of an upright image of 10 x 20, or 20 x 10 stored
  EXPECT_EQ(stored_region(region, {10, 20}, 1), (Rect{1, 2, 3, 4}));
  EXPECT_EQ(stored_region(region, {10, 20}, 2), (Rect{6, 2, 3, 4}));
  EXPECT_EQ(stored_region(region, {10, 20}, 3), (Rect{6, 14, 3, 4}));
  EXPECT_EQ(stored_region(region, {10, 20}, 4), (Rect{1, 14, 3, 4}));
  EXPECT_EQ(stored_region(region, {20, 10}, 5), (Rect{2, 1, 4, 3}));
  EXPECT_EQ(stored_region(region, {20, 10}, 6), (Rect{2, 6, 4, 3}));
  EXPECT_EQ(stored_region(region, {20, 10}, 7), (Rect{14, 6, 4, 3}));
  EXPECT_EQ(stored_region(region, {20, 10}, 8), (Rect{14, 1, 4, 3}));
}

// Five columns at 4 eighths are three pixels, the last of which is half outside; mirrored, it
// stands on the left.
TEST(OrientationTest, SquaresThatAreCutOffMoveWithTheImage) {
  static const std::vector<std::uint8_t> values = {1, 2, 3};
  const ImagePart stored{{values.data(), 3, 1, 1, 3}, {5, 2}, 0, 0, 4};
  PixelBuffer buffer;
  const ImagePart upright = turn_upright(stored, 2, buffer);
  EXPECT_EQ(upright.origin_x, -0.5);
  EXPECT_EQ(upright.origin_y, 0);
  EXPECT_EQ(upright.pixels.row(0)[0], 3);
}

TEST(OrientationTest, TurnsImagesLargerThanATile) {
  const Pixels image = busy_image({70, 41}, 3);
  PixelBuffer buffer;
  const ImagePart upright = turn_upright({image.view(), {70, 41}}, 6, buffer);
  ASSERT_EQ(upright.full_size, (ImageSize{41, 70}));
  for (int y = 0; y < 70; ++y) {
    for (int x = 0; x < 41; ++x) {
      EXPECT_EQ(upright.pixels.row(y)[3 * x + 1], image.view().row(40 - x)[3 * y + 1]);
    }
  }
}

}  // namespace
}  // namespace penstock::decode
