#include "penstock/pipeline/spec.h"

#include <gtest/gtest.h>

namespace penstock::pipeline {
namespace {

Spec training_spec() {
  Spec spec;
  spec.source = {"tar", {"a.tar", "b.tar"}, {{"index_cache", "true"}}};
  spec.shuffle = ShuffleSpec{.window = "10000", .lanes = 8};
  spec.seed = 7;
  spec.fields = {
      {"jpg", {"image", {{"dtype", "f32"}}}, {{"random_flip", {{"probability", "0.5"}}}}},
      {"cls", {"label", {}}, {}}};
  spec.batch = {256, "keep"};
  spec.epochs = std::nullopt;
  spec.shard = RankSpec{1, 2};
  spec.disk_cache = DiskCacheSpec{"/scratch", "20GiB"};
  spec.memory_cache = MemoryCacheSpec{"4GiB", "bytes"};
  return spec;
}

TEST(SpecTest, ParsesWhatItPrints) {
  const auto parsed = parse_spec(print_spec(training_spec()));
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(*parsed, training_spec());
}

TEST(SpecTest, PrintsOpsAsOneLineEach) {
  EXPECT_NE(print_spec(training_spec()).find("\"random_flip probability=0.5\""), std::string::npos);
}

TEST(SpecTest, HashLeavesOutRankBatchSizeAndEpochs) {
  Spec other = training_spec();
  other.shard = RankSpec{0, 8};
  other.disk_cache.reset();
  other.memory_cache.reset();
  other.batch = {64, "drop"};
  other.epochs = 90;
  EXPECT_EQ(hash_spec(other), hash_spec(training_spec()));
}

TEST(SpecTest, HashCoversWhatDecidesPixels) {
  Spec other = training_spec();
  other.fields[0].ops[0].options[0].value = "0.6";
  EXPECT_NE(hash_spec(other), hash_spec(training_spec()));
  other = training_spec();
  other.seed = 8;
  EXPECT_NE(hash_spec(other), hash_spec(training_spec()));
  other = training_spec();
  other.memory_cache->what = "pixels";
  EXPECT_NE(hash_spec(other), hash_spec(training_spec()));
}

struct BadSpec {
  std::string_view text;
  std::string_view message;
};

TEST(SpecTest, NamesWhatIsWrong) {
  const BadSpec cases[] = {
      {"nonsense", "spec: not a JSON object"},
      {"{}", "spec: no source"},
      {R"({"source": {}, "colour": 1})", "spec: no key 'colour' is known here"},
      {R"({"source": {"urls": [1]}})", "spec: urls is [1], expected a list of texts"},
      {R"({"source": {}, "batch": {"size": -1}})", "spec: size is -1, expected a whole number"},
      {R"({"source": {}, "batch": 3})", "spec: batch is 3, expected an object"},
      {R"({"source": {}, "memory_cache": {"size": 3}})", "spec: size is 3, expected a text"},
  };
  for (const BadSpec& bad : cases) EXPECT_EQ(parse_spec(bad.text).status().message(), bad.message);
}

}  // namespace
}  // namespace penstock::pipeline
