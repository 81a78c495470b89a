#include "penstock/format/example_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penstock/format/testing.h"

namespace penstock::format {
namespace {

using testing::ElementsAre;

const std::string kFive = field(3, "\x08\x05");
const std::string kSix = field(3, "\x08\x06");
const std::string kText = field(1, field(1, "text"));

// The feature called "a".
Feature find_a(std::string_view example) {
  const std::vector<std::string> names = {"a"};
  const std::vector<int> wanted = {0};
  std::vector<Feature> found(1);
  EXPECT_EQ(find_features(bytes_of(example), names, wanted, found), Status{});
  return found[0];
}

Status failure(std::string_view example) {
  const std::vector<std::string> names = {"a"};
  const std::vector<int> wanted = {0};
  std::vector<Feature> found(1);
  return find_features(bytes_of(example), names, wanted, found);
}

std::int64_t number(const Feature& feature) {
  std::vector<std::int64_t> values(1);
  EXPECT_EQ(read_values(feature, values), Status{});
  return values[0];
}

TEST(ExampleReaderTest, FindsFeaturesByName) {
  const std::string example = field(1, entry("b", kText) + entry("a", kFive) + entry("ab", kSix));
  const std::vector<std::string> names = {"a", "ab", "b", "c"};
  const std::vector<int> wanted = {3, 1, 0};
  std::vector<Feature> found(3);
  ASSERT_EQ(find_features(bytes_of(example), names, wanted, found), Status{});
  EXPECT_EQ(found[0].kind, FeatureKind::kMissing);
  EXPECT_EQ(number(found[1]), 6);
  EXPECT_EQ(number(found[2]), 5);
}

TEST(ExampleReaderTest, ForgetsWhatStoodInTheOutput) {
  const std::vector<std::string> names = {"a"};
  const std::vector<int> wanted = {0};
  std::vector<Feature> found = {{FeatureKind::kInt64, bytes_of("x"), true}};
  ASSERT_EQ(find_features({}, names, wanted, found), Status{});
  EXPECT_EQ(found[0].kind, FeatureKind::kMissing);
  EXPECT_FALSE(found[0].is_sequence);
}

TEST(ExampleReaderTest, PointsIntoTheRecord) {
  const std::string example = field(1, entry("a", kText));
  std::vector<Bytes> values;
  ASSERT_EQ(read_values(find_a(example), values), Status{});
  EXPECT_EQ(text_of(values.at(0)), "text");
  EXPECT_EQ(reinterpret_cast<const char*>(values[0].data()), example.data() + example.find("text"));
}

TEST(ExampleReaderTest, TheLastOfTheSameNameCounts) {
  EXPECT_EQ(number(find_a(field(1, entry("a", kFive) + entry("a", kSix)))), 6);
}

TEST(ExampleReaderTest, JoinsPartsOfTheFeatures) {
  EXPECT_EQ(number(find_a(field(1, entry("b", kSix)) + field(1, entry("a", kFive)))), 5);
}

TEST(ExampleReaderTest, TakesNameAndValueInAnyOrder) {
  EXPECT_EQ(number(find_a(field(1, field(1, field(2, kFive) + field(1, "a"))))), 5);
}

TEST(ExampleReaderTest, AnEntryWithoutAValueIsMissing) {
  EXPECT_EQ(find_a(field(1, field(1, field(1, "a")))).kind, FeatureKind::kMissing);
}

TEST(ExampleReaderTest, PassesOverUnknownFields) {
  const std::string map_entry =
      field(1, field(3, "?") + field(1, "a") + field(2, kFive) + "\x20\1");
  EXPECT_EQ(number(find_a(field(9, "?") + field(1, field(2, "?") + map_entry))), 5);
}

TEST(ExampleReaderTest, FindsTheListsOfASequenceExample) {
  const std::string steps = field(1, kFive) + field(1, kSix);
  const std::string example = field(1, entry("b", kText)) + field(2, entry("a", steps));
  const Feature feature = find_a(example);
  EXPECT_TRUE(feature.is_sequence);
  std::vector<std::int64_t> values(2);
  ASSERT_EQ(read_values(feature, values), Status{});
  EXPECT_THAT(values, ElementsAre(5, 6));
}

TEST(ExampleReaderTest, TheContextCountsBeforeTheLists) {
  const std::string lists = field(2, entry("a", field(1, kSix)));
  const std::string context = field(1, entry("a", kFive));
  EXPECT_EQ(number(find_a(context + lists)), 5);
  EXPECT_EQ(number(find_a(lists + context)), 5);
}

TEST(ExampleReaderTest, NamesTheByteOfDamage) {
  std::string example = field(1, entry("b", kFive) + entry("a", kFive));
  EXPECT_EQ(failure(example.substr(0, 8)),
            corrupt("tf.Example at byte 0: damaged protobuf message: end of buffer exception"));
  example[16] = '\x7f';  // the length of the name
  EXPECT_EQ(failure(example),
            corrupt("tf.Example at byte 15: damaged protobuf message: end of buffer exception"));
}

TEST(ExampleReaderTest, NamesTheFeatureThatIsDamaged) {
  EXPECT_EQ(failure(field(1, entry("a", "\x1a\x7f"))),
            corrupt("tf.Example at byte 4: a: damaged protobuf message: end of buffer exception"));
}

TEST(ExampleReaderTest, RefusesAValueInParts) {
  EXPECT_EQ(failure(field(1, field(1, field(1, "a") + field(2, kFive) + field(2, kSix)))),
            unsupported("tf.Example at byte 4: the value comes in several parts, expected one"));
}

TEST(ExampleReaderTest, ListsEveryFeatureByName) {
  const std::string example = field(1, entry("b", kText) + entry("a", kFive) + entry("b", kSix)) +
                              field(2, entry("c", field(1, kText)));
  const auto features = list_features(bytes_of(example));
  ASSERT_TRUE(features.ok());
  ASSERT_EQ(features->size(), 3u);
  EXPECT_EQ((*features)[0].name, "a");
  EXPECT_EQ((*features)[1].name, "b");
  EXPECT_EQ((*features)[1].feature.kind, FeatureKind::kInt64);
  EXPECT_EQ((*features)[2].name, "c");
  EXPECT_TRUE((*features)[2].feature.is_sequence);
  EXPECT_EQ((*features)[2].feature.kind, FeatureKind::kBytes);
}

TEST(ExampleReaderTest, EveryCutIsAFailure) {
  const std::string example = field(1, entry("b", kText) + entry("a", kFive));
  for (std::size_t size = 1; size < example.size(); ++size) {
    EXPECT_EQ(failure(example.substr(0, size)).code(), Code::kCorrupt) << size;
  }
}

}  // namespace
}  // namespace penstock::format
