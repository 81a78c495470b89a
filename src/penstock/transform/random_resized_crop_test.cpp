#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(RandomResizedCropTest, AlwaysHasOneSize) {
  EXPECT_EQ(chain({"random_resized_crop size=20,30"})->output_size(), (ImageSize{30, 20}));
  EXPECT_EQ(apply("random_resized_crop size=5", noise({9, 7}, 3)).size(), (ImageSize{5, 5}));
}

TEST(RandomResizedCropTest, AreaAndAspectStayInTheirRanges) {
  const auto made = chain({"random_resized_crop scale=0.25,0.5 ratio=0.8,1.25"});
  ASSERT_TRUE(made.ok());
  for (std::uint64_t sample = 0; sample < 500; ++sample) {
    const auto drawn = made->draw({400, 300}, {.sample = sample});
    ASSERT_TRUE(drawn.ok());
    const Range x = drawn->geometry.x.canvas, y = drawn->geometry.y.canvas;
    const double width = x.high - x.low, height = y.high - y.low;
    EXPECT_GE(x.low, 0);
    EXPECT_GE(y.low, 0);
    EXPECT_LE(x.high, 400);
    EXPECT_LE(y.high, 300);
    EXPECT_NEAR(width * height / (400 * 300), 0.375, 0.13);
    EXPECT_GT(width / height, 0.79);
    EXPECT_LT(width / height, 1.26);
  }
}

TEST(RandomResizedCropTest, TakesTheMiddleIfNothingFits) {
  const auto drawn =
      chain({"random_resized_crop scale=1,1 ratio=1,1"})->draw({300, 100}, {.sample = 5});
  ASSERT_TRUE(drawn.ok());
  EXPECT_EQ(drawn->geometry.x.canvas, (Range{100, 200}));
  EXPECT_EQ(drawn->geometry.y.canvas, (Range{0, 100}));
}

TEST(RandomResizedCropTest, DoesNotSeeBeyondItsWindow) {
  // The left half is black, the right half white; a window in one half has no trace of the other.
  const Geometry geometry =
      compose(cropped({8, 1}, {0, 0, 4, 1}), resized({4, 1}, {2, 1}, Filter::kBilinear));
  EXPECT_EQ(render_u8(image({{0, 0, 0, 0, 255, 255, 255, 255}}), {.geometry = geometry}),
            image({{0, 0}}));
}

TEST(RandomResizedCropTest, RejectsAnEmptyRange) {
  EXPECT_EQ(
      bind("random_resized_crop scale=1,0.5").status().message(),
      "random_resized_crop: scale is 1,0.5, expected two positive numbers, the smaller first");
  EXPECT_EQ(bind("random_resized_crop ratio=0,1").status().message(),
            "random_resized_crop: ratio is 0,1, expected two positive numbers, the smaller first");
}

}  // namespace
}  // namespace penstock::transform
