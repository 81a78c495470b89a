#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penstock/source/source.h"
#include "penstock/source/testing.h"
#include "penstock/source/testing_sources.h"

namespace penstock::source {
namespace {

using testing::ElementsAre;

const std::string kCats = tar_of({{"cat.jpg", "meow"}, {"cat.cls", "0"}, {"lion.jpg", "roar"}});
const std::string kDogs = tar_of({{"dog.txt", "good"}, {"dog.jpg", "woof"}});

std::string failure(std::vector<std::unique_ptr<Source>> children) {
  return std::string(make_concat_source(std::move(children)).status().message());
}

std::unique_ptr<Source> folder(const storage::Storage& storage, const std::string& path) {
  return opened(make_folder_source(storage, {.path = path}));
}

// Two shards in one storage, and one in another.
class ConcatSourceTest : public testing::Test {
 protected:
  ConcatSourceTest() {
    source_ = opened(
        make_concat_source(list_of(opened(make_tar_source(*cats_, {.urls = {"0.tar", "1.tar"}})),
                                   opened(make_tar_source(*dogs_, {.urls = {"0.tar"}})))));
  }

  std::unique_ptr<storage::Storage> cats_ =
      storage::make_memory_storage({{"0.tar", kCats}, {"1.tar", kCats}});
  std::unique_ptr<storage::Storage> dogs_ = storage::make_memory_storage({{"0.tar", kDogs}});
  std::unique_ptr<Source> source_;
};

TEST_F(ConcatSourceTest, NumbersSamplesThrough) {
  EXPECT_THAT(sample_names(*source_),
              ElementsAre("0.tar: cat", "0.tar: lion", "1.tar: cat", "1.tar: lion", "0.tar: dog"));
  EXPECT_THAT(source_->shard_sizes(), ElementsAre(2u, 2u, 1u));
  EXPECT_EQ(source_->origin(4).key, "dog");
}

TEST_F(ConcatSourceTest, HasTheFieldsOfAllChildren) {
  std::vector<std::string> names;
  for (const FieldInfo& field : source_->fields()) names.push_back(field.name);
  EXPECT_THAT(names, ElementsAre("cls", "jpg", "txt"));
}

TEST_F(ConcatSourceTest, LocatesBytesInTheStorageOfTheChild) {
  EXPECT_EQ(content(*source_, 2, 1), "meow");
  EXPECT_EQ(content(*source_, 4, 1), "woof");
  EXPECT_EQ(content(*source_, 4, 2), "good");
  EXPECT_EQ(source_->locate(4, 1)->object, 2u);
  EXPECT_EQ(source_->num_objects(), 3u);
  EXPECT_EQ(source_->storage(1), cats_.get());
  EXPECT_EQ(source_->storage(2), dogs_.get());
}

TEST_F(ConcatSourceTest, NamesTheSampleThatLacksAField) {
  const Status status = source_->locate(4, 0).status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_EQ(status.message(), "0.tar: dog: no field cls, it has: jpg, txt");
}

TEST_F(ConcatSourceTest, HoldsWhatItsChildrenHold) { EXPECT_GT(source_->memory_bytes(), 100u); }

TEST_F(ConcatSourceTest, FingerprintFollowsTheOrderOfChildren) {
  const auto fingerprint = [&](bool is_swapped) {
    auto cats = opened(make_tar_source(*cats_, {.urls = {"0.tar"}}));
    auto dogs = opened(make_tar_source(*dogs_, {.urls = {"0.tar"}}));
    if (is_swapped) std::swap(cats, dogs);
    return opened(make_concat_source(list_of(std::move(cats), std::move(dogs))))->fingerprint();
  };
  EXPECT_EQ(fingerprint(false), fingerprint(false));
  EXPECT_NE(fingerprint(false), fingerprint(true));
}

TEST(ConcatSourceErrorTest, JoinsDamages) {
  const auto storage = storage::make_memory_storage(
      {{"0.tar", kCats.substr(0, 2561)}, {"1.tar", kDogs.substr(0, 1537)}});
  auto first = opened(make_tar_source(*storage, {.urls = {"0.tar"}}));
  EXPECT_EQ(make_tar_source(*storage, {.urls = {"1.tar"}}).status().code(), Code::kCorrupt);
  auto second = opened(make_tar_source(*storage, {.urls = {"0.tar"}}));
  const auto source = opened(make_concat_source(list_of(std::move(first), std::move(second))));
  ASSERT_EQ(source->damages().size(), 2u);
  EXPECT_EQ(source->damages()[1].key, "lion");
}

TEST(ConcatSourceErrorTest, RefusesAFieldOfTwoKinds) {
  const auto storage = storage::make_memory_storage({{"0.tar", tar_of({{"a.label", "1"}})}});
  const std::vector<std::int64_t> numbers = {1, 2};
  EXPECT_EQ(failure(list_of(number_source("label", numbers),
                            opened(make_tar_source(*storage, {.urls = {"0.tar"}})))),
            "field label is array i64 of shape scalar in source 0 (arrays) and bytes in source 1 "
            "(0.tar), expected the same");
}

TEST(ConcatSourceErrorTest, RefusesAnArrayThatOneLacks) {
  const std::vector<std::int64_t> numbers = {1, 2};
  EXPECT_EQ(failure(list_of(number_source("x", numbers), number_source("y", numbers))),
            "source 1 (arrays) has no field x, which is array i64 of shape scalar in source 0 "
            "(arrays); it has: y");
}

TEST(ConcatSourceErrorTest, RefusesNoSources) {
  EXPECT_EQ(failure({}), "no sources, expected one or more");
}

TEST(ConcatSourceClassesTest, TakesClassesThatAreTheSame) {
  const auto storage = storage::make_memory_storage(
      {{"a/cat/1.jpg", ""}, {"a/dog/1.jpg", ""}, {"b/cat/1.jpg", ""}, {"b/dog/1.jpg", ""}});
  const auto source =
      opened(make_concat_source(list_of(folder(*storage, "a"), folder(*storage, "b"))));
  EXPECT_THAT(source->classes(), ElementsAre("cat", "dog"));
  EXPECT_EQ(number(*source, 3, 1), 1);
  EXPECT_EQ(source->object_path(source->locate(3, 0)->object), "b/dog/1.jpg");
}

TEST(ConcatSourceClassesTest, RefusesClassesThatDiffer) {
  const auto storage = storage::make_memory_storage({{"a/cat/1.jpg", ""},
                                                     {"a/dog/1.jpg", ""},
                                                     {"b/cat/1.jpg", ""},
                                                     {"b/cow/1.jpg", ""},
                                                     {"c/cat/1.jpg", ""}});
  EXPECT_EQ(failure(list_of(folder(*storage, "a"), folder(*storage, "b"))),
            "class 1 is dog in source 0 (a) and cow in source 1 (b), expected the same classes, or "
            "labels would clash");
  EXPECT_EQ(failure(list_of(folder(*storage, "a"), folder(*storage, "c"))),
            "class 1 is dog in source 0 (a) and missing in source 1 (c), expected the same "
            "classes, or labels would clash");
}

TEST(ConcatSourceRecordTest, FindsFeaturesByTheChildsNumbers) {
  const auto source = opened(make_concat_source(
      list_of(std::make_unique<RecordSource>(std::vector<std::string>{"a", "b"}),
              std::make_unique<RecordSource>(std::vector<std::string>{"c", "b"}))));
  const std::array<std::byte, 8> record{};
  const std::array fields = {0, 1, 2};  // a, b, c
  std::array<format::Feature, 3> found;
  ASSERT_TRUE(source->parse_record(1, record, fields, found).ok());
  EXPECT_EQ(found[0].message.size(), 1u);
  EXPECT_EQ(found[1].message.size(), 2u);
  EXPECT_EQ(found[2].kind, format::FeatureKind::kMissing);
  ASSERT_TRUE(source->parse_record(2, record, fields, found).ok());
  EXPECT_EQ(found[0].kind, format::FeatureKind::kMissing);
  EXPECT_EQ(found[1].message.size(), 2u);
  EXPECT_EQ(found[2].message.size(), 1u);
}

TEST(ConcatSourceRecordTest, LocatesTheRecordOfAFeatureThatTheChildLacks) {
  const auto source = opened(
      make_concat_source(list_of(std::make_unique<RecordSource>(std::vector<std::string>{"a"}),
                                 std::make_unique<RecordSource>(std::vector<std::string>{"b"}))));
  const auto piece = source->locate(3, 0);
  ASSERT_TRUE(piece.ok()) << piece.status().message();
  EXPECT_EQ(piece->object, 1u);
  EXPECT_EQ(piece->offset, 8u);
}

}  // namespace
}  // namespace penstock::source
