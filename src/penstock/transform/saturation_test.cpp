#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(SaturationTest, LeavesGrayAlone) {
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    EXPECT_EQ(apply("saturation amount=0.9", rgb({{80, 80, 80}}), {.sample = sample}),
              rgb({{80, 80, 80}}));
  }
}

TEST(SaturationTest, KeepsBrightness) {
  const TestImage out = apply("saturation amount=0.4", rgb({{120, 80, 100}}));
  EXPECT_NEAR(0.299 * out.pixels[0] + 0.587 * out.pixels[1] + 0.114 * out.pixels[2], 94.24, 1);
}

TEST(SaturationTest, RejectsANegativeAmount) {
  EXPECT_EQ(bind("saturation amount=-0.1").status().message(),
            "saturation: amount is -0.1, expected a value of at least 0");
}

}  // namespace
}  // namespace penstock::transform
