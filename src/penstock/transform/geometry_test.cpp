#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(GeometryTest, ACropAfterAResizeSeesBeyondItsBorder) {
  const Geometry geometry =
      compose(resized({8, 8}, {4, 4}, Filter::kBilinear), cropped({4, 4}, {1, 1, 2, 2}));
  EXPECT_EQ(geometry.x.offset, 2);
  EXPECT_EQ(geometry.x.scale, 2);
  EXPECT_EQ(geometry.x.canvas, (Range{0, 8}));
}

TEST(GeometryTest, AResizeAfterACropDoesNot) {
  const Geometry geometry =
      compose(cropped({8, 8}, {2, 2, 4, 4}), resized({4, 4}, {2, 2}, Filter::kBilinear));
  EXPECT_EQ(geometry.x.canvas, (Range{2, 6}));
}

TEST(GeometryTest, TwoResizesMultiplyTheirScales) {
  const Geometry geometry =
      compose(resized({8, 8}, {4, 2}, Filter::kNearest), resized({4, 2}, {2, 8}, Filter::kBicubic));
  EXPECT_EQ(geometry.x.scale, 4);
  EXPECT_EQ(geometry.y.scale, 1);
  EXPECT_EQ(geometry.filter, Filter::kBicubic);
}

TEST(GeometryTest, MirroringTwiceIsNothing) {
  EXPECT_EQ(compose(mirrored({5, 3}), mirrored({5, 3})), unchanged({5, 3}));
}

TEST(GeometryTest, PaddingAfterAResizeStaysSharp) {
  const Geometry geometry = compose(resized({2, 1}, {4, 1}, Filter::kBilinear),
                                    padded({4, 1}, {.left = 1, .right = 1}, {9, 9, 9}));
  EXPECT_EQ(render_u8(image({{100, 100}}), {.geometry = geometry}),
            image({{9, 100, 100, 100, 100, 9}}));
}

TEST(GeometryTest, PaddingBeforeAResizeIsBlended) {
  const Geometry geometry = compose(padded({2, 1}, {.left = 2, .right = 0}, {0, 0, 0}),
                                    resized({4, 1}, {2, 1}, Filter::kBilinear));
  // Weights 3, 3, 1 of 7 on fill, fill, pixel, and on fill, pixel, pixel the other way round.
  EXPECT_EQ(render_u8(image({{140, 140}}), {.geometry = geometry}), image({{20, 120}}));
}

TEST(GeometryTest, PaddingIsMirroredWithTheImage) {
  const Geometry geometry = compose(padded({2, 1}, {.left = 1}, {9, 9, 9}), mirrored({3, 1}));
  EXPECT_EQ(render_u8(image({{1, 2}}), {.geometry = geometry}), image({{2, 1, 9}}));
}

TEST(GeometryTest, PaddingBetweenTwoResizesCounts) {
  const Geometry first =
      compose(resized({2, 1}, {4, 1}, Filter::kBilinear), padded({4, 1}, {.left = 4}, {0, 0, 0}));
  const Geometry geometry = compose(first, resized({8, 1}, {4, 1}, Filter::kNearest));
  EXPECT_EQ(render_u8(image({{50, 60}}), {.geometry = geometry}), image({{0, 0, 50, 60}}));
}

TEST(NeededPartTest, ACopyNeedsItsPixelsOnly) {
  EXPECT_EQ(needed_part(cropped({100, 80}, {10, 20, 30, 40})).region, (Rect{10, 20, 30, 40}));
}

TEST(NeededPartTest, AResizedCropNeedsItsWindowOnly) {
  const Geometry geometry = compose(cropped({400, 300}, {50, 60, 200, 100}),
                                    resized({200, 100}, {50, 50}, Filter::kBilinear));
  EXPECT_EQ(needed_part(geometry).region, (Rect{50, 60, 200, 100}));
}

TEST(NeededPartTest, ACroppedResizeNeedsTheFilterToo) {
  const Geometry geometry = compose(resized({400, 400}, {200, 200}, Filter::kBilinear),
                                    cropped({200, 200}, {50, 50, 100, 100}));
  // Centres from 101 to 299, two pixels of filter on each side.
  EXPECT_EQ(needed_part(geometry).region.x, 99);
  EXPECT_EQ(needed_part(geometry).region.width, 202);
}

TEST(NeededPartTest, ShrinksOnlyWhileEnoughIsLeftToFilter) {
  const auto eighths = [](int side, Filter filter) {
    return needed_part(resized({side, side}, {100, 100}, filter)).min_eighths;
  };
  EXPECT_EQ(eighths(228, Filter::kBilinear), 8);
  EXPECT_EQ(eighths(229, Filter::kBilinear), 7);
  EXPECT_EQ(eighths(266, Filter::kBilinear), 7);
  EXPECT_EQ(eighths(267, Filter::kBilinear), 6);
  EXPECT_EQ(eighths(320, Filter::kBilinear), 5);
  EXPECT_EQ(eighths(400, Filter::kBilinear), 4);
  EXPECT_EQ(eighths(534, Filter::kBilinear), 3);
  EXPECT_EQ(eighths(800, Filter::kBilinear), 2);
  EXPECT_EQ(eighths(1600, Filter::kBicubic), 1);
  EXPECT_EQ(eighths(5000, Filter::kNearest), 8);
}

TEST(NeededPartTest, AlwaysAsksForAPixel) {
  const Geometry geometry = compose(padded({3, 3}, {.left = 5}, {}), cropped({8, 3}, {0, 0, 2, 3}));
  EXPECT_EQ(needed_part(geometry).region, (Rect{0, 0, 1, 3}));
}

}  // namespace
}  // namespace penstock::transform
