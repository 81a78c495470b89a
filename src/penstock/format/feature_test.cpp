#include "penstock/format/feature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "penstock/format/testing.h"

namespace penstock::format {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::int64_t> ints(const Feature& feature) {
  std::vector<std::int64_t> values(count_values(feature).value());
  EXPECT_EQ(read_values(feature, values), Status{});
  return values;
}

std::vector<float> floats(const Feature& feature) {
  std::vector<float> values(count_values(feature).value());
  EXPECT_EQ(read_values(feature, values), Status{});
  return values;
}

std::vector<std::string> texts(const Feature& feature) {
  std::vector<Bytes> values;
  EXPECT_EQ(read_values(feature, values), Status{});
  EXPECT_EQ(count_values(feature).value(), values.size());
  std::vector<std::string> out;
  for (const Bytes value : values) out.push_back(text_of(value));
  return out;
}

Feature int_feature(std::string_view list) { return {FeatureKind::kInt64, bytes_of(list)}; }
Feature float_feature(std::string_view list) { return {FeatureKind::kFloat, bytes_of(list)}; }

TEST(FeatureTest, ReadsPackedInts) {
  const std::string list = field(1, "\x05\xac\x02");
  EXPECT_THAT(ints(int_feature(list)), ElementsAre(5, 300));
}

TEST(FeatureTest, ReadsNegativeAndExtremeInts) {
  const std::string list = field(1,
                                 "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                                 "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01");
  EXPECT_THAT(ints(int_feature(list)), ElementsAre(-1, std::numeric_limits<std::int64_t>::min()));
}

TEST(FeatureTest, ReadsIntsOneByOne) {
  EXPECT_THAT(ints(int_feature("\x08\x05\x08\xac\x02")), ElementsAre(5, 300));
}

TEST(FeatureTest, JoinsChunksAndSingleInts) {
  const std::string list = field(1, "\x01\x02") + "\x08\x03" + field(1, "") + field(1, "\x04");
  EXPECT_THAT(ints(int_feature(list)), ElementsAre(1, 2, 3, 4));
}

TEST(FeatureTest, ReadsPackedFloats) {
  const std::string list = field(1, std::string("\0\0\x80\x3f\0\0\0\xc0", 8));
  EXPECT_THAT(floats(float_feature(list)), ElementsAre(1.0f, -2.0f));
}

TEST(FeatureTest, ReadsFloatsOneByOne) {
  const std::string list("\x0d\0\0\x80\x3f\x0d\0\0\0\xc0", 10);
  EXPECT_THAT(floats(float_feature(list)), ElementsAre(1.0f, -2.0f));
}

TEST(FeatureTest, ReadsBytes) {
  const std::string list = field(1, "one") + field(1, "") + field(1, "three");
  EXPECT_THAT(texts({FeatureKind::kBytes, bytes_of(list)}), ElementsAre("one", "", "three"));
}

TEST(FeatureTest, ReadsNoValues) {
  EXPECT_THAT(ints(int_feature("")), IsEmpty());
  EXPECT_THAT(floats(float_feature("")), IsEmpty());
  EXPECT_THAT(texts({FeatureKind::kBytes, {}}), IsEmpty());
}

TEST(FeatureTest, PassesOverUnknownFields) {
  const std::string list = field(2, "?") + "\x18\x07" + field(1, "\x05");
  EXPECT_THAT(ints(int_feature(list)), ElementsAre(5));
}

TEST(FeatureTest, AMissingFeatureHasNoValues) { EXPECT_EQ(*count_values({}), 0u); }

TEST(FeatureTest, RefusesAnotherKind) {
  std::vector<float> values(1);
  EXPECT_EQ(read_values(int_feature("\x08\x05"), values),
            corrupt("the values are of kind int64, expected float"));
}

TEST(FeatureTest, RefusesAnotherNumberOfValues) {
  std::vector<std::int64_t> values(1);
  EXPECT_EQ(read_values(int_feature("\x08\x05\x08\x06"), values), corrupt("2 values, expected 1"));
}

TEST(FeatureTest, NoticesDamage) {
  std::vector<std::int64_t> values(1);
  EXPECT_EQ(read_values(int_feature(field(1, "\x80")), values),
            corrupt("damaged protobuf message: end of buffer exception"));
  EXPECT_EQ(count_values(float_feature(field(1, "abc"))).status(),
            corrupt("damaged protobuf message: invalid length exception"));
  EXPECT_EQ(count_values(float_feature("\x0a\x7f")).status(),
            corrupt("damaged protobuf message: end of buffer exception"));
}

TEST(FeatureTest, KnowsItsKind) {
  Feature feature;
  EXPECT_EQ(parse_feature(bytes_of(field(1, "")), feature), Status{});
  EXPECT_EQ(feature.kind, FeatureKind::kBytes);
  EXPECT_EQ(parse_feature(bytes_of(field(2, "")), feature), Status{});
  EXPECT_EQ(feature.kind, FeatureKind::kFloat);
  EXPECT_EQ(parse_feature(bytes_of(field(3, "")), feature), Status{});
  EXPECT_EQ(feature.kind, FeatureKind::kInt64);
  EXPECT_EQ(parse_feature({}, feature), Status{});
  EXPECT_EQ(feature.kind, FeatureKind::kMissing);
}

TEST(FeatureTest, TheLastOfDifferentListsCounts) {
  Feature feature;
  const std::string message = field(1, field(1, "x")) + field(3, "\x08\x05");
  ASSERT_EQ(parse_feature(bytes_of(message), feature), Status{});
  EXPECT_THAT(ints(feature), ElementsAre(5));
}

TEST(FeatureTest, RefusesListsThatProtobufWouldJoin) {
  Feature feature;
  const std::string message = field(3, "\x08\x05") + field(3, "\x08\x06");
  EXPECT_EQ(parse_feature(bytes_of(message), feature),
            unsupported("the values come in several lists, expected one"));
}

TEST(FeatureTest, JoinsTheStepsOfASequence) {
  const std::string steps =
      field(1, field(3, field(1, "\x01\x02"))) + field(1, "") + field(1, field(3, "\x08\x03"));
  Feature feature;
  ASSERT_EQ(parse_feature_list(bytes_of(steps), feature), Status{});
  EXPECT_TRUE(feature.is_sequence);
  EXPECT_EQ(feature.kind, FeatureKind::kInt64);
  EXPECT_THAT(ints(feature), ElementsAre(1, 2, 3));
}

TEST(FeatureTest, RefusesStepsOfDifferentKinds) {
  const std::string steps = field(1, field(3, "\x08\x03")) + field(1, field(1, field(1, "x")));
  Feature feature;
  ASSERT_EQ(parse_feature_list(bytes_of(steps), feature), Status{});
  EXPECT_EQ(count_values(feature).status(),
            corrupt("step 1 is of kind bytes, expected int64 as the steps before it"));
}

TEST(FeatureTest, ASequenceWithoutStepsHasNoKind) {
  Feature feature;
  ASSERT_EQ(parse_feature_list({}, feature), Status{});
  EXPECT_TRUE(feature.is_sequence);
  EXPECT_EQ(feature.kind, FeatureKind::kMissing);
}

}  // namespace
}  // namespace penstock::format
