#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(ColourTest, ComposesInOrder) {
  const Colour colour = compose(brightened(2), contrasted(0.5, 0.5));
  EXPECT_DOUBLE_EQ(colour.matrix[0][0], 1);
  EXPECT_DOUBLE_EQ(colour.matrix[0][3], 63.75);
}

TEST(ColourTest, IsClampedOnceAtTheEnd) {
  // Doubling and halving in one matrix loses nothing.
  const Colour colour = compose(brightened(2), brightened(0.5));
  EXPECT_EQ(render_u8(rgb({{200, 100, 50}}), {.geometry = unchanged({1, 1}), .colour = colour}),
            rgb({{200, 100, 50}}));
}

TEST(ColourTest, AFullTurnOfHueIsNothing) {
  const Colour colour = hue_turned(1);
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      EXPECT_NEAR(colour.matrix[row][column], row == column ? 1 : 0, 1e-12);
    }
  }
}

TEST(ColourTest, NoChangeIsNoAdjustment) {
  EXPECT_FALSE(brightened(1).is_adjusted);
  EXPECT_FALSE(saturated(1).is_adjusted);
  EXPECT_FALSE(hue_turned(0).is_adjusted);
  EXPECT_TRUE(contrasted(0.9, 0.5).is_adjusted);
}

TEST(ColourTest, GrayImagesAreAdjustedByTheSumOfARow) {
  EXPECT_EQ(render_u8(image({{100}}), {.geometry = unchanged({1, 1}), .colour = brightened(1.5)}),
            image({{150}}));
}

}  // namespace
}  // namespace penstock::transform
