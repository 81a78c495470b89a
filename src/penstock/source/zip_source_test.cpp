#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penstock/source/source.h"
#include "penstock/source/testing.h"
#include "penstock/source/testing_sources.h"

namespace penstock::source {
namespace {

using testing::ElementsAre;

std::string failure(std::vector<std::unique_ptr<Source>> children) {
  return std::string(make_zip_source(std::move(children)).status().message());
}

// Two shards of images, and one of texts in another storage, and numbers.
class ZipSourceTest : public testing::Test {
 protected:
  std::unique_ptr<Source> images() const {
    return opened(make_tar_source(*images_, {.urls = {"{0..1}.tar"}}));
  }
  std::unique_ptr<Source> texts() const {
    return opened(make_tar_source(*texts_, {.urls = {"t.tar"}}));
  }

  std::unique_ptr<storage::Storage> images_ = storage::make_memory_storage(
      {{"0.tar", tar_of({{"cat.jpg", "meow"}})}, {"1.tar", tar_of({{"dog.jpg", "woof"}})}});
  std::unique_ptr<storage::Storage> texts_ =
      storage::make_memory_storage({{"t.tar", tar_of({{"x.txt", "a cat"}, {"y.txt", "a dog"}})}});
  std::vector<std::int64_t> numbers_ = {3, 4};
};

TEST_F(ZipSourceTest, JoinsTheFieldsOfAllChildren) {
  const auto source =
      opened(make_zip_source(list_of(images(), texts(), number_source("n", numbers_))));
  std::vector<std::string> names;
  for (const FieldInfo& field : source->fields()) names.push_back(field.name);
  EXPECT_THAT(names, ElementsAre("jpg", "txt", "n"));
  EXPECT_EQ(content(*source, 1, 0), "woof");
  EXPECT_EQ(content(*source, 1, 1), "a dog");
  EXPECT_EQ(number(*source, 1, 2), 4);
}

TEST_F(ZipSourceTest, HasShardsAndNamesOfTheFirst) {
  const auto source = opened(make_zip_source(list_of(images(), texts())));
  EXPECT_THAT(source->shard_sizes(), ElementsAre(1u, 1u));
  EXPECT_THAT(sample_names(*source), ElementsAre("0.tar: cat", "1.tar: dog"));
  EXPECT_EQ(source->origin(1).key, "dog");
}

TEST_F(ZipSourceTest, NumbersObjectsThrough) {
  const auto source = opened(make_zip_source(list_of(images(), texts())));
  EXPECT_EQ(source->num_objects(), 3u);
  EXPECT_EQ(source->locate(1, 1)->object, 2u);
  EXPECT_EQ(source->storage(2), texts_.get());
  EXPECT_EQ(source->object_path(2), "t.tar");
}

TEST_F(ZipSourceTest, FingerprintIsNotThatOfConcat) {
  const auto zipped = opened(make_zip_source(list_of(images(), texts())));
  const auto joined = opened(make_concat_source(list_of(images(), texts())));
  EXPECT_NE(zipped->fingerprint(), joined->fingerprint());
}

TEST_F(ZipSourceTest, RefusesDifferentNumbersOfSamples) {
  const std::vector<std::int64_t> three = {1, 2, 3};
  EXPECT_EQ(failure(list_of(images(), number_source("n", three))),
            "source 0 (0.tar) has 2 samples and source 1 (arrays) has 3, expected the same number");
}

TEST_F(ZipSourceTest, RefusesAFieldTwice) {
  EXPECT_EQ(failure(list_of(images(), images())),
            "field jpg is in source 0 (0.tar) and in source 1 (0.tar), expected every name once");
}

TEST_F(ZipSourceTest, RefusesDamage) {
  const auto storage = storage::make_memory_storage(
      {{"d.tar", tar_of({{"a.txt", "1"}, {"b.txt", "2"}, {"c.txt", "3"}}).substr(0, 2560)}});
  EXPECT_EQ(failure(list_of(images(), opened(make_tar_source(*storage, {.urls = {"d.tar"}})))),
            "d.tar: member c.txt at byte 2048 needs 1 bytes, the shard has 0 left; samples of a "
            "damaged source cannot be paired with those of another");
}

TEST(ZipSourceRecordTest, FindsFeaturesByTheChildsNumbers) {
  const std::vector<std::int64_t> numbers = {3, 4};
  const auto source = opened(
      make_zip_source(list_of(number_source("n", numbers),
                              std::make_unique<RecordSource>(std::vector<std::string>{"a", "b"}))));
  const std::array<std::byte, 8> record{};
  const std::array fields = {2};  // b
  std::array<format::Feature, 1> found;
  ASSERT_TRUE(source->parse_record(1, record, fields, found).ok());
  EXPECT_EQ(found[0].message.size(), 2u);
}

TEST(ZipSourceRecordTest, RefusesRecordsOfTwoChildren) {
  EXPECT_EQ(failure(list_of(std::make_unique<RecordSource>(std::vector<std::string>{"a"}),
                            std::make_unique<RecordSource>(std::vector<std::string>{"b"}))),
            "source 0 (records) and source 1 (records) both hold records with features, expected "
            "one at most");
}

}  // namespace
}  // namespace penstock::source
