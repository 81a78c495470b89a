#include <algorithm>
#include <set>
#include <vector>

#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(RandomCropTest, ReachesEveryPlaceAndNoOther) {
  std::set<int> seen;
  for (std::uint64_t sample = 0; sample < 200; ++sample) {
    const TestImage out = apply("random_crop size=1,2", image({{1, 2, 3, 4}}), {.sample = sample});
    EXPECT_EQ(out.pixels[1], out.pixels[0] + 1);
    seen.insert(out.pixels[0]);
  }
  EXPECT_EQ(seen, (std::set<int>{1, 2, 3}));
}

TEST(RandomCropTest, CutsOutOfThePaddedImage) {
  std::set<std::vector<std::uint8_t>> seen;
  for (std::uint64_t sample = 0; sample < 200; ++sample) {
    seen.insert(
        apply("random_crop size=1,2 padding=1,0 fill=9", image({{1, 2}}), {.sample = sample})
            .pixels);
  }
  EXPECT_EQ(seen, (std::set<std::vector<std::uint8_t>>{{9, 1}, {1, 2}, {2, 9}}));
}

TEST(RandomCropTest, RefusesAnImageThatIsTooSmall) {
  EXPECT_EQ(chain({"random_crop size=4,5"})->draw({3, 4}, {}).status().message(),
            "random_crop: size is 4,5, the image with its padding is 4,3, expected one at least as "
            "large");
}

TEST(RandomCropTest, PadsASmallImageIfAllowed) {
  const TestImage out = apply("random_crop size=1,3 pad_if_needed=true", image({{7, 8}}));
  EXPECT_EQ(out.size(), (ImageSize{3, 1}));
  EXPECT_EQ(std::ranges::count(out.pixels, 0), 1);
}

TEST(RandomCropTest, AlwaysHasOneSize) {
  EXPECT_EQ(chain({"random_crop size=32"})->output_size(), (ImageSize{32, 32}));
}

}  // namespace
}  // namespace penstock::transform
