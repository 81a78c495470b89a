#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(BrightnessTest, MultipliesEveryChannelByOneFactor) {
  const TestImage out = apply("brightness amount=0.5", rgb({{100, 50, 10}}));
  const double factor = out.pixels[0] / 100.0;
  EXPECT_GE(factor, 0.5);
  EXPECT_LE(factor, 1.5);
  EXPECT_NEAR(out.pixels[1], 50 * factor, 1);
  EXPECT_NEAR(out.pixels[2], 10 * factor, 1);
}

TEST(BrightnessTest, ClampsWhatBecomesTooBright) {
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    const TestImage out = apply("brightness amount=1", rgb({{255, 200, 0}}), {.sample = sample});
    EXPECT_GE(out.pixels[0], out.pixels[1]);
    EXPECT_EQ(out.pixels[2], 0);
  }
}

TEST(BrightnessTest, AmountZeroChangesNothing) {
  EXPECT_EQ(apply("brightness amount=0", rgb({{1, 2, 3}})), rgb({{1, 2, 3}}));
}

TEST(BrightnessTest, RejectsANegativeAmount) {
  EXPECT_EQ(bind("brightness amount=-1").status().message(),
            "brightness: amount is -1, expected a value of at least 0");
}

}  // namespace
}  // namespace penstock::transform
