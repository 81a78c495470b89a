#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penstock/source/source.h"
#include "penstock/source/testing.h"
#include "penstock/source/testing_sources.h"

namespace penstock::source {
namespace {

using testing::ElementsAre;

// Tar samples a/cat, a/dog | b/cat, and a folder of two classes.
class FilteredSourceTest : public testing::Test {
 protected:
  std::unique_ptr<Source> shards() const {
    return opened(make_tar_source(*storage_, {.urls = {"{0..1}.tar"}}));
  }
  std::unique_ptr<Source> folder() const {
    return opened(make_folder_source(*storage_, {.path = "images"}));
  }
  std::vector<std::string> kept(std::unique_ptr<Source> child, const FilterOptions& options) const {
    return sample_names(*opened(make_filtered_source(std::move(child), options)));
  }
  std::string failure(std::unique_ptr<Source> child, const FilterOptions& options) const {
    return std::string(make_filtered_source(std::move(child), options).status().message());
  }

  std::unique_ptr<storage::Storage> storage_ = storage::make_memory_storage(
      {{"0.tar", tar_of({{"a/cat.jpg", "meow"}, {"a/cat.cls", "0"}, {"a/dog.jpg", "woof!!"}})},
       {"1.tar", tar_of({{"b/cat.jpg", "purr"}})},
       {"images/cat/1.jpg", "x"},
       {"images/cat/2.jpg", "xxx"},
       {"images/dog/1.jpg", "xx"}});
};

TEST_F(FilteredSourceTest, NumbersWhatIsLeftAnew) {
  const auto source = opened(make_filtered_source(shards(), {.key = "*/cat"}));
  EXPECT_EQ(source->num_samples(), 2u);
  EXPECT_THAT(source->shard_sizes(), ElementsAre(1u, 1u));
  EXPECT_THAT(sample_names(*source), ElementsAre("0.tar: a/cat", "1.tar: b/cat"));
  EXPECT_EQ(content(*source, 1, 1), "purr");
  EXPECT_EQ(source->origin(1).key, "b/cat");
}

TEST_F(FilteredSourceTest, KeepsShardsThatAreEmptyNow) {
  const auto source = opened(make_filtered_source(shards(), {.key = "b/*"}));
  EXPECT_THAT(source->shard_sizes(), ElementsAre(0u, 1u));
}

TEST_F(FilteredSourceTest, TakesSeveralPatterns) {
  EXPECT_THAT(kept(shards(), {.key = "a/d*;b/*"}), ElementsAre("0.tar: a/dog", "1.tar: b/cat"));
  EXPECT_THAT(kept(folder(), {.key = "*/1.jpg"}),
              ElementsAre("images/cat/1.jpg", "images/dog/1.jpg"));
}

TEST_F(FilteredSourceTest, CountsTheBytesOfAllFields) {
  EXPECT_THAT(kept(shards(), {.min_bytes = 5}), ElementsAre("0.tar: a/cat", "0.tar: a/dog"));
  EXPECT_THAT(kept(shards(), {.max_bytes = 4}), ElementsAre("1.tar: b/cat"));
}

TEST_F(FilteredSourceTest, CountsTheBytesOfOneField) {
  EXPECT_THAT(kept(shards(), {.max_bytes = 4, .field = "jpg"}),
              ElementsAre("0.tar: a/cat", "1.tar: b/cat"));
  EXPECT_THAT(kept(shards(), {.min_bytes = 1, .field = "cls"}), ElementsAre("0.tar: a/cat"));
}

TEST_F(FilteredSourceTest, ChoosesLabelsAndClasses) {
  EXPECT_THAT(kept(folder(), {.labels = {1}}), ElementsAre("images/dog/1.jpg"));
  EXPECT_THAT(kept(folder(), {.classes = {"cat"}}),
              ElementsAre("images/cat/1.jpg", "images/cat/2.jpg"));
  EXPECT_EQ(kept(folder(), {.labels = {1}, .classes = {"cat"}}).size(), 3u);
}

TEST_F(FilteredSourceTest, KeepsTheNumbersOfClasses) {
  const auto source = opened(make_filtered_source(folder(), {.classes = {"dog"}}));
  EXPECT_THAT(source->classes(), ElementsAre("cat", "dog"));
  EXPECT_EQ(number(*source, 0, 1), 1);
}

TEST_F(FilteredSourceTest, AsksForEverythingThatIsGiven) {
  EXPECT_THAT(kept(folder(), {.key = "*/1.jpg", .min_bytes = 2}), ElementsAre("images/dog/1.jpg"));
}

TEST_F(FilteredSourceTest, FingerprintFollowsWhatIsKept) {
  const auto fingerprint = [&](const FilterOptions& options) {
    return opened(make_filtered_source(shards(), options))->fingerprint();
  };
  EXPECT_EQ(fingerprint({.key = "a/*"}), fingerprint({.key = "a/[cd]*"}));
  EXPECT_NE(fingerprint({.key = "a/*"}), fingerprint({.key = "b/*"}));
  EXPECT_NE(fingerprint({}), shards()->fingerprint());
}

TEST_F(FilteredSourceTest, RefusesToKeepNothing) {
  EXPECT_EQ(failure(shards(), {.key = "z*"}),
            "none of 3 samples is left, the first is 0.tar: a/cat");
}

TEST_F(FilteredSourceTest, RefusesWhatTheSourceHasNot) {
  EXPECT_EQ(failure(folder(), {.classes = {"cow"}}),
            "no class cow among the 2 of the source, the first is cat");
  EXPECT_EQ(failure(shards(), {.labels = {1}}), "label_field is label, expected one of: cls, jpg");
  EXPECT_EQ(failure(shards(), {.labels = {1}, .label_field = "cls"}),
            "label_field is cls, which is bytes, expected numbers that are known without reading: "
            "an i64 for each sample");
  EXPECT_EQ(failure(folder(), {.min_bytes = 1, .field = "label"}),
            "field is label, expected one in storage; there are: image, label");
  EXPECT_EQ(failure(folder(), {.min_bytes = 2, .max_bytes = 1}),
            "min_bytes is 2 and max_bytes 1, expected no more than that");
}

TEST(FilteredArraysTest, HaveNoBytes) {
  const std::vector<std::int64_t> numbers = {1, 2};
  EXPECT_EQ(
      make_filtered_source(number_source("label", numbers), {.min_bytes = 1}).status().message(),
      "no field lies in storage, so that samples have no bytes");
}

TEST(FilteredRecordsTest, ParsesTheRecordOfTheSampleThatWasKept) {
  std::unique_ptr<Source> records =
      std::make_unique<RecordSource>(std::vector<std::string>{"a", "b"});
  const auto source = opened(make_filtered_source(std::move(records), {.min_bytes = 8}));
  const std::array<std::byte, 8> record{};
  const std::array fields = {1};
  std::array<format::Feature, 1> found;
  ASSERT_TRUE(source->parse_record(1, record, fields, found).ok());
  EXPECT_EQ(found[0].message.size(), 2u);
}

}  // namespace
}  // namespace penstock::source
