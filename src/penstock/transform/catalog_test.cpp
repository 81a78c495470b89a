#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(CatalogTest, SuggestsTheNearestName) {
  EXPECT_EQ(bind("random_flop").status().message(),
            "no op 'random_flop', did you mean random_flip");
}

TEST(CatalogTest, ListsTheNamesIfNoneIsNear) {
  EXPECT_EQ(bind("x").status().message(),
            "no op 'x', expected one of: brightness, center_crop, color_jitter, contrast, "
            "grayscale, hue, normalize, pad, random_crop, random_flip, random_resized_crop, "
            "resize, saturation");
}

TEST(CatalogTest, NamesAreSortedAndDistinct) {
  for (std::size_t i = 1; i < ops().size(); ++i) EXPECT_LT(ops()[i - 1].name, ops()[i].name);
}

TEST(CatalogTest, TellsTheKindsApart) {
  EXPECT_EQ(bind("random_flip").value()->kind(), OpKind::kGeometry);
  EXPECT_EQ(bind("normalize").value()->kind(), OpKind::kColour);
}

}  // namespace
}  // namespace penstock::transform
