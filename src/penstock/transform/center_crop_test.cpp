#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(CenterCropTest, TakesTheMiddle) {
  EXPECT_EQ(
      apply("center_crop size=1,3", image({{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, {1, 1, 1, 1, 1}})),
      image({{7, 8, 9}}));
}

TEST(CenterCropTest, RoundsHalvesToTheEvenPlace) {
  EXPECT_EQ(apply("center_crop size=1", image({{1, 2}})), image({{1}}));
  EXPECT_EQ(apply("center_crop size=1", image({{1, 2, 3, 4}})), image({{3}}));
}

TEST(CenterCropTest, PadsASmallerImageWithBlack) {
  EXPECT_EQ(apply("center_crop size=2,4", image({{5}})), image({{0, 5, 0, 0}, {0, 0, 0, 0}}));
}

TEST(CenterCropTest, RejectsSizeZero) {
  EXPECT_EQ(bind("center_crop size=0").status().message(),
            "center_crop: size is 0, expected a value in [1, 32768]");
}

}  // namespace
}  // namespace penstock::transform
