#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(HueTest, LeavesGrayAlone) {
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    EXPECT_EQ(apply("hue amount=0.5", rgb({{80, 80, 80}}), {.sample = sample}),
              rgb({{80, 80, 80}}));
  }
}

TEST(HueTest, KeepsBrightness) {
  const TestImage out = apply("hue amount=0.5", rgb({{120, 80, 100}}));
  EXPECT_NEAR(0.299 * out.pixels[0] + 0.587 * out.pixels[1] + 0.114 * out.pixels[2], 94.24, 1);
}

TEST(HueTest, RejectsMoreThanHalfATurn) {
  EXPECT_EQ(bind("hue amount=0.6").status().message(),
            "hue: amount is 0.6, expected a value in [0, 0.5]");
}

}  // namespace
}  // namespace penstock::transform
