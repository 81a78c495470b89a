#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(ResizeTest, AveragesWhenItHalves) {
  // The triangle filter of radius 2 has weights 1, 3, 3, 1 of 8, cut off at the borders.
  EXPECT_EQ(apply("resize size=1,2", image({{0, 70, 140, 210}})), image({{50, 160}}));
}

TEST(ResizeTest, InterpolatesWhenItDoubles) {
  EXPECT_EQ(apply("resize size=1,4", image({{0, 100}})), image({{0, 25, 75, 100}}));
}

TEST(ResizeTest, NearestRepeatsPixels) {
  EXPECT_EQ(apply("resize size=2,4 filter=nearest", image({{10, 200}})),
            image({{10, 10, 200, 200}, {10, 10, 200, 200}}));
}

TEST(ResizeTest, BicubicOvershootsAndIsClamped) {
  EXPECT_EQ(apply("resize size=1,8 filter=bicubic", image({{0, 0, 255, 255}})),
            image({{0, 0, 0, 52, 203, 255, 255, 255}}));
}

TEST(ResizeTest, OneNumberIsTheShorterSide) {
  const auto made = chain({"resize size=256"});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->output_size({{500, 375}}), (ImageSize{341, 256}));
  EXPECT_EQ(made->output_size({{375, 500}}), (ImageSize{256, 341}));
  EXPECT_EQ(made->output_size(), std::nullopt);
}

TEST(ResizeTest, TwoNumbersAreHeightAndWidth) {
  const auto made = chain({"resize size=20,30"});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->output_size(), (ImageSize{30, 20}));
}

TEST(ResizeTest, RejectsThreeNumbers) {
  EXPECT_EQ(bind("resize size=1,2,3").status().message(),
            "resize: size has 3 numbers, expected 1 or 2 (height,width)");
}

TEST(ResizeTest, RejectsAnUnknownFilter) {
  EXPECT_EQ(bind("resize filter=lanczos").status().message(),
            "resize: filter is lanczos, expected Literal[\"nearest\", \"bilinear\", \"bicubic\"]");
}

TEST(ResizeTest, RefusesAnOutputOfAbsurdLength) {
  const auto made = chain({"resize size=1000"});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->draw({60000, 2}, {}).status().message(),
            "resize: the output would be 30000000x1000, at most 65536 a side are possible");
}

}  // namespace
}  // namespace penstock::transform
