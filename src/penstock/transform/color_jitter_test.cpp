#include <set>
#include <vector>

#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(ColorJitterTest, ChangesNothingByDefault) {
  EXPECT_EQ(apply("color_jitter", rgb({{1, 100, 250}})), rgb({{1, 100, 250}}));
}

TEST(ColorJitterTest, DrawsAnewForEverySample) {
  std::set<std::vector<std::uint8_t>> seen;
  for (std::uint64_t sample = 0; sample < 50; ++sample) {
    seen.insert(apply("color_jitter brightness=0.4 contrast=0.4 saturation=0.4 hue=0.1",
                      rgb({{30, 100, 200}}), {.sample = sample})
                    .pixels);
  }
  EXPECT_GT(seen.size(), 45u);
}

TEST(ColorJitterTest, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(bind("color_jitter saturation=-1").status().message(),
            "color_jitter: saturation is -1, expected a value of at least 0");
  EXPECT_EQ(bind("color_jitter hue=1").status().message(),
            "color_jitter: hue is 1, expected a value in [0, 0.5]");
}

}  // namespace
}  // namespace penstock::transform
