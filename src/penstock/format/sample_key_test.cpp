#include "penstock/format/sample_key.h"

#include <gtest/gtest.h>

namespace penstock::format {
namespace {

TEST(SampleKeyTest, CutsAtTheFirstDotOfTheBaseName) {
  EXPECT_EQ(split_sample_key("cat.jpg"), (SampleKey{"cat", "jpg"}));
  EXPECT_EQ(split_sample_key("a/b/cat.01.seg.png"), (SampleKey{"a/b/cat", "01.seg.png"}));
}

TEST(SampleKeyTest, LeavesDotsInFoldersAlone) {
  EXPECT_EQ(split_sample_key("v1.0/cat.jpg"), (SampleKey{"v1.0/cat", "jpg"}));
  EXPECT_EQ(split_sample_key("./cat.jpg"), (SampleKey{"./cat", "jpg"}));
}

TEST(SampleKeyTest, WritesTheExtensionInLowerCase) {
  EXPECT_EQ(split_sample_key("CAT.JPG"), (SampleKey{"CAT", "jpg"}));
}

TEST(SampleKeyTest, TakesAnEmptyExtension) {
  EXPECT_EQ(split_sample_key("cat."), (SampleKey{"cat", ""}));
}

TEST(SampleKeyTest, LeavesOutNamesWithoutADot) {
  EXPECT_EQ(split_sample_key("README"), std::nullopt);
  EXPECT_EQ(split_sample_key("v1.0/README"), std::nullopt);
  EXPECT_EQ(split_sample_key("cat.jpg/"), std::nullopt);
  EXPECT_EQ(split_sample_key(""), std::nullopt);
}

TEST(SampleKeyTest, LeavesOutHiddenFiles) {
  EXPECT_EQ(split_sample_key(".hidden"), std::nullopt);
  EXPECT_EQ(split_sample_key(".hidden.jpg"), std::nullopt);
  EXPECT_EQ(split_sample_key("a/.hidden.jpg"), std::nullopt);
}

}  // namespace
}  // namespace penstock::format
