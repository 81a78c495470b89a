#include <gmock/gmock.h>

#include <vector>

#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

std::vector<float> normalized(std::string_view text, const TestImage& in) {
  const auto drawn = chain({text})->draw(in.size(), {});
  std::vector<float> out(in.pixels.size());
  RenderScratch scratch;
  render({.pixels = in.view(), .full_size = in.size()}, drawn->geometry, drawn->colour,
         {DType::kF32, Layout::kHWC, in.channels}, scratch, std::as_writable_bytes(std::span(out)));
  return out;
}

TEST(NormalizeTest, SubtractsMeansAndDividesByDeviations) {
  EXPECT_THAT(normalized("normalize mean=0.5,0.25,0 std=0.5,0.25,1", rgb({{255, 0, 51}})),
              testing::Pointwise(testing::FloatNear(1e-6f), {1.0f, -1.0f, 0.2f}));
}

TEST(NormalizeTest, DefaultsToImageNet) {
  EXPECT_THAT(normalized("normalize", rgb({{0, 0, 0}})),
              testing::Pointwise(testing::FloatNear(1e-5f), {-2.117904f, -2.035714f, -1.804444f}));
}

TEST(NormalizeTest, OneNumberIsForEveryChannel) {
  EXPECT_THAT(normalized("normalize mean=0.5 std=0.5", image({{0, 255}})),
              testing::Pointwise(testing::FloatNear(1e-6f), {-1.0f, 1.0f}));
}

TEST(NormalizeTest, RejectsADeviationOfZero) {
  EXPECT_EQ(bind("normalize std=1,0,1").status().message(),
            "normalize: std is 0, expected a positive value");
}

TEST(NormalizeTest, RejectsTwoMeans) {
  EXPECT_EQ(bind("normalize mean=1,2").status().message(),
            "normalize: mean has 2 numbers, expected 1 or 3");
}

}  // namespace
}  // namespace penstock::transform
