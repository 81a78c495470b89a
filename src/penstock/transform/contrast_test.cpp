#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(ContrastTest, KeepsItsCenter) {
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    EXPECT_EQ(apply("contrast amount=0.9 center=0.2", rgb({{51, 51, 51}}), {.sample = sample}),
              rgb({{51, 51, 51}}));
  }
}

TEST(ContrastTest, MovesValuesAwayFromTheMiddleByOneFactor) {
  const TestImage out = apply("contrast amount=0.5", rgb({{27, 127, 227}}));
  EXPECT_NEAR(out.pixels[2] - 127.5, 127.5 - out.pixels[0], 2);
}

TEST(ContrastTest, RejectsACenterAboveOne) {
  EXPECT_EQ(bind("contrast center=127").status().message(),
            "contrast: center is 127, expected a value in [0, 1]");
}

}  // namespace
}  // namespace penstock::transform
