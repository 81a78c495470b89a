#include "penstock/decode/png/adam7.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "penstock/decode/request.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {
namespace {

TEST(PngPassesTest, AnImageThatIsNotInterlacedIsOnePass) {
  const PngPasses passes({{10, 7}, 8, PngColour::kRgb, false});
  ASSERT_EQ(passes.passes().size(), 1u);
  EXPECT_EQ(passes.passes()[0].size, (ImageSize{10, 7}));
  EXPECT_EQ(passes.passes()[0].row_bytes, 30u);
  EXPECT_EQ(passes.size_bytes(), 217u);
}

// The sizes that the specification's figure gives for 8x8.
TEST(PngPassesTest, AnInterlacedImageIsSeven) {
  const PngPasses passes({{8, 8}, 8, PngColour::kGray, true});
  const ImageSize sizes[] = {{1, 1}, {1, 1}, {2, 1}, {2, 2}, {4, 2}, {4, 4}, {8, 4}};
  const std::size_t offsets[] = {0, 2, 4, 7, 13, 23, 43};
  ASSERT_EQ(passes.passes().size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(passes.passes()[i].size, sizes[i]);
    EXPECT_EQ(passes.passes()[i].offset, offsets[i]);
  }
  EXPECT_EQ(passes.size_bytes(), 79u);
}

TEST(PngPassesTest, EmptyPassesAreNotThere) {
  const auto num_passes = [](ImageSize size) {
    const PngPasses passes({size, 8, PngColour::kGray, true});
    return passes.passes().size();
  };
  EXPECT_EQ(num_passes({1, 1}), 1u);
  EXPECT_EQ(num_passes({2, 1}), 2u);
  EXPECT_EQ(num_passes({1, 3}), 3u);
}

TEST(PngPassesTest, PartsHaveEachPixelOfARegionOnce) {
  const ImageSize size{21, 19};
  const PngPasses passes({size, 8, PngColour::kGray, true});
  Rng rng({.seed = 4});
  for (int i = 0; i < 200; ++i) {
    const Rect region = random_region(size, rng);
    std::set<std::pair<int, int>> pixels;
    int num_pixels = 0;
    for (const PngPass& pass : passes.passes()) {
      const Rect part = pass.part_in(region);
      for (int y = part.y; y < part.y + part.height; ++y) {
        for (int x = part.x; x < part.x + part.width; ++x, ++num_pixels) {
          const int image_x = x * pass.x_step + pass.x, image_y = y * pass.y_step + pass.y;
          ASSERT_TRUE(image_x >= region.x && image_x < region.x + region.width);
          ASSERT_TRUE(image_y >= region.y && image_y < region.y + region.height);
          ASSERT_TRUE(x < pass.size.width && y < pass.size.height);
          pixels.insert({image_x, image_y});
        }
      }
    }
    EXPECT_EQ(num_pixels, region.width * region.height);
    EXPECT_EQ(pixels.size(), static_cast<std::size_t>(num_pixels));
  }
}

TEST(PngPassesTest, SizesDoNotOverflow) {
  for (const bool is_interlaced : {false, true}) {
    const PngPasses passes({{2147483647, 2147483647}, 16, PngColour::kRgba, is_interlaced});
    EXPECT_GT(passes.size_bytes(), std::size_t{1} << 59);
    EXPECT_LT(passes.size_bytes(), std::size_t{1} << 61);
  }
}

}  // namespace
}  // namespace penstock::decode
