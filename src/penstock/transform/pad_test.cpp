#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(PadTest, OneNumberIsForEverySide) {
  EXPECT_EQ(apply("pad padding=1 fill=9", image({{1, 2}})),
            image({{9, 9, 9, 9}, {9, 1, 2, 9}, {9, 9, 9, 9}}));
}

TEST(PadTest, TwoNumbersAreTheSidesAndTopAndBottom) {
  EXPECT_EQ(apply("pad padding=1,0", image({{1, 2}})), image({{0, 1, 2, 0}}));
}

TEST(PadTest, FourNumbersAreLeftTopRightBottom) {
  EXPECT_EQ(apply("pad padding=1,0,2,1", image({{7}})), image({{0, 7, 0, 0}, {0, 0, 0, 0}}));
}

TEST(PadTest, FillsInColour) {
  EXPECT_EQ(apply("pad padding=0,0,1,0 fill=1,2,3", rgb({{4, 5, 6}})), rgb({{4, 5, 6}, {1, 2, 3}}));
}

TEST(PadTest, KnowsItsOutputSize) {
  EXPECT_EQ(chain({"pad padding=1,2,3,4"})->output_size({{10, 20}}), (ImageSize{14, 26}));
}

TEST(PadTest, RejectsThreeNumbers) {
  EXPECT_EQ(bind("pad padding=1,2,3").status().message(),
            "pad: padding has 3 numbers, expected 1, 2 or 4 (left,top,right,bottom)");
}

TEST(PadTest, RejectsAFillThatIsNoByte) {
  EXPECT_EQ(bind("pad fill=256").status().message(),
            "pad: fill is 256, expected a value in [0, 255]");
}

}  // namespace
}  // namespace penstock::transform
