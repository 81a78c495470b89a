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
  EXPECT_EQ(split_sample_key("./.hidden.jpg"), std::nullopt);
  EXPECT_EQ(split_sample_key("v1.0/.hidden.jpg"), std::nullopt);
}

TEST(SampleKeyTest, TakesHiddenFilesOfAPlainFolderForItsParts) {
  EXPECT_EQ(split_sample_key("a/.hidden.jpg"), (SampleKey{"a/", "hidden.jpg"}));
  EXPECT_EQ(split_sample_key("v1.0/a/.x"), (SampleKey{"v1.0/a/", "x"}));
  EXPECT_EQ(split_sample_key("/.x"), (SampleKey{"/", "x"}));
}

TEST(SampleKeyTest, LeavesOutWhatIsAboutTheShard) {
  EXPECT_EQ(split_sample_key("__a.b__"), std::nullopt);
  EXPECT_EQ(split_sample_key("__meta__/cat.jpg"), std::nullopt);
  EXPECT_EQ(split_sample_key("__init__.py"), (SampleKey{"__init__", "py"}));
  EXPECT_EQ(split_sample_key("a/__meta__/cat.jpg"), (SampleKey{"a/__meta__/cat", "jpg"}));
  EXPECT_EQ(split_sample_key("___/cat.jpg"), (SampleKey{"___/cat", "jpg"}));
}

}  // namespace
}  // namespace penstock::format
