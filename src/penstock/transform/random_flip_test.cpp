#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(RandomFlipTest, MirrorsColumnsWhenCertain) {
  EXPECT_EQ(apply("random_flip probability=1", image({{1, 2, 3}, {4, 5, 6}})),
            image({{3, 2, 1}, {6, 5, 4}}));
}

TEST(RandomFlipTest, LeavesTheImageWhenImpossible) {
  EXPECT_EQ(apply("random_flip probability=0", image({{1, 2, 3}})), image({{1, 2, 3}}));
}

TEST(RandomFlipTest, FlipsAboutAsOftenAsAsked) {
  int flips = 0;
  for (std::uint64_t sample = 0; sample < 1000; ++sample) {
    flips += apply("random_flip probability=0.25", image({{1, 2}}), {.sample = sample}) ==
             image({{2, 1}});
  }
  EXPECT_NEAR(flips, 250, 50);
}

TEST(RandomFlipTest, RejectsProbabilityAboveOne) {
  const Status status = bind("random_flip probability=1.5").status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.message(), "random_flip: probability is 1.5, expected a value in [0, 1]");
}

}  // namespace
}  // namespace penstock::transform
