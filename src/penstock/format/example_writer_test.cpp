#include "penstock/format/example_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "penstock/format/example_reader.h"
#include "penstock/format/testing.h"

namespace penstock::format {
namespace {

using testing::ElementsAre;

std::string encoded(const std::vector<FeatureInput>& features) {
  auto example = encode_example(features);
  EXPECT_TRUE(example.ok()) << example.status().message();
  return example.ok() ? *std::move(example) : std::string();
}

TEST(ExampleWriterTest, WritesFeaturesSortedByName) {
  const std::vector<FeatureInput> features = {{"b", std::vector{bytes_of("text")}},
                                              {"a", std::vector<std::int64_t>{5}}};
  EXPECT_EQ(encoded(features), field(1, entry("a", field(3, field(1, "\x05"))) +
                                            entry("b", field(1, field(1, "text")))));
}

TEST(ExampleWriterTest, WritesFloatsPacked) {
  EXPECT_EQ(encoded({{"a", std::vector<float>{1, -2}}}),
            field(1, entry("a", field(2, field(1, std::string("\0\0\x80\x3f\0\0\0\xc0", 8))))));
}

TEST(ExampleWriterTest, KeepsTheKindOfAnEmptyList) {
  EXPECT_EQ(encoded({{"a", std::vector<float>{}}}), field(1, entry("a", field(2, ""))));
}

TEST(ExampleWriterTest, WritesNoFeatures) { EXPECT_EQ(encoded({}), field(1, "")); }

TEST(ExampleWriterTest, IntsComeBack) {
  const std::vector<std::int64_t> values = {0,
                                            1,
                                            127,
                                            128,
                                            -1,
                                            1 << 30,
                                            std::numeric_limits<std::int64_t>::max(),
                                            std::numeric_limits<std::int64_t>::min()};
  const std::string example = encoded({{"a", values}});
  const auto features = list_features(bytes_of(example));
  ASSERT_TRUE(features.ok());
  std::vector<std::int64_t> out(values.size());
  ASSERT_EQ(read_values(features->at(0).feature, out), Status{});
  EXPECT_EQ(out, values);
}

TEST(ExampleWriterTest, LargeValuesComeBack) {
  const std::string image(300'000, 'x');
  const std::string example = encoded({{"image", std::vector{bytes_of(image), bytes_of("")}}});
  const auto features = list_features(bytes_of(example));
  ASSERT_TRUE(features.ok());
  std::vector<Bytes> out;
  ASSERT_EQ(read_values(features->at(0).feature, out), Status{});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(text_of(out[0]), image);
  EXPECT_EQ(out[1].size(), 0u);
}

TEST(ExampleWriterTest, RefusesANameTwice) {
  const std::vector<FeatureInput> features = {{"a", std::vector<float>{}},
                                              {"a", std::vector<float>{}}};
  EXPECT_EQ(encode_example(features).status(), invalid_argument("two features are named a"));
}

}  // namespace
}  // namespace penstock::format
