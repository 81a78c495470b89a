#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(GrayscaleTest, GivesEveryChannelTheLuma) {
  EXPECT_EQ(apply("grayscale", rgb({{255, 0, 0}, {0, 255, 0}, {10, 10, 10}})),
            rgb({{76, 76, 76}, {150, 150, 150}, {10, 10, 10}}));
}

TEST(GrayscaleTest, LeavesTheImageWhenImpossible) {
  EXPECT_EQ(apply("grayscale probability=0", rgb({{255, 0, 0}})), rgb({{255, 0, 0}}));
}

TEST(GrayscaleTest, RejectsANegativeProbability) {
  EXPECT_EQ(bind("grayscale probability=-0.5").status().message(),
            "grayscale: probability is -0.5, expected a value in [0, 1]");
}

}  // namespace
}  // namespace penstock::transform
