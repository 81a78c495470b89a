// Fields of every kind of a record, from tf.Examples to batches, in C++: runs under the sanitizers
// too.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "penstock/decode/jpeg/encode.h"
#include "penstock/format/example_writer.h"
#include "penstock/format/tfrecord_writer.h"
#include "penstock/penstock.h"

namespace penstock {
namespace {

using format::FeatureInput;
using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

FeatureInput bytes_feature(std::string_view name, std::string_view value) {
  return {name, std::vector<Bytes>{bytes_of(value)}};
}

template <class T>
std::vector<T> elements(Bytes bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

Ints offsets_of(const Batch& batch, std::size_t field) {
  return {batch.offsets(field).begin(), batch.offsets(field).end()};
}

class FieldsTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() /
            concat("penstock_", testing::UnitTest::GetInstance()->random_seed(), "_",
                   testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  // Writes one shard and gives its path.
  std::string write(const std::vector<std::vector<FeatureInput>>& samples) const {
    std::vector<std::byte> shard;
    for (const auto& features : samples) {
      const auto example = format::encode_example(features);
      EXPECT_TRUE(example.ok());
      format::append_tfrecord(shard, bytes_of(*example));
    }
    const std::string path = root_ / "a.tfrecord";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(shard.data()),
               static_cast<std::streamsize>(shard.size()));
    return path;
  }

  std::filesystem::path root_;
};

Pipeline records(const std::string& path) {
  return Pipeline({"tfrecord", {path}, {{"index_cache", "false"}}});
}

Result<Run::BatchPtr> first_batch(const Pipeline& pipeline) {
  PENSTOCK_TRY_ASSIGN(const auto run, pipeline.run({.threads = 2}));
  return run->next();
}

std::string error_of(const Pipeline& pipeline) {
  const auto batch = first_batch(pipeline);
  return std::string(batch.status().message());
}

TEST_F(FieldsTest, NumbersAreOneValueOfAFeature) {
  const std::string path = write({{{"label", Ints{3}}, {"score", Floats{0.5f}}},
                                  {{"label", Ints{-7}}, {"score", Floats{1.5f}}}});
  const auto batch = first_batch(records(path).label("label").number("score", "f64").batch(2));
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  EXPECT_EQ(elements<std::int64_t>((*batch)->array(0)), (Ints{3, -7}));
  EXPECT_EQ(elements<double>((*batch)->array(1)), (std::vector{0.5, 1.5}));
}

TEST_F(FieldsTest, WholeNumbersConvertToFloats) {
  const std::string path = write({{{"label", Ints{3}}}});
  const auto batch = first_batch(records(path).number("label"));
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  EXPECT_EQ(elements<float>((*batch)->array(0)), (Floats{3}));
}

TEST_F(FieldsTest, ArraysHaveAFixedShape) {
  const std::string path = write({{{"m", Floats{1, 2, 3, 4, 5, 6}}, {"i", Ints{8, 9}}}});
  const auto batch = first_batch(
      records(path).array("m", {.shape = {{3, 2}}}).array("i", {.dtype = "i32", .shape = {{2}}}));
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  EXPECT_EQ((*batch)->layout.fields()[0].shape, Shape({3, 2}));
  EXPECT_EQ(elements<float>((*batch)->array(0)), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(elements<std::int32_t>((*batch)->array(1)), (std::vector<std::int32_t>{8, 9}));
}

TEST_F(FieldsTest, ArraysAreRaggedInRows) {
  const std::string path =
      write({{{"boxes", Floats{1, 2, 3, 4}}}, {{"boxes", Floats{5, 6, 7, 8, 9, 10, 11, 12}}}});
  const auto batch =
      first_batch(records(path).array("boxes", {.shape = {{4}}, .ragged = true}).batch(2));
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  EXPECT_EQ(elements<float>((*batch)->array(0)), (Floats{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(offsets_of(**batch, 0), (Ints{0, 1, 3}));
}

TEST_F(FieldsTest, ArraysArePadded) {
  const std::string path = write({{{"ids", Ints{1}}}, {{"ids", Ints{2, 3, 4}}}});
  const auto batch = first_batch(records(path).array("ids", {.length = 4, .pad = -1}).batch(2));
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  EXPECT_EQ(elements<std::int64_t>((*batch)->array(0)), (Ints{1, -1, -1, -1, 2, 3, 4, -1}));
  EXPECT_EQ((*batch)->layout.fields()[1].name, "ids.length");
  EXPECT_EQ(elements<std::int64_t>((*batch)->array(1)), (Ints{1, 3}));
}

TEST_F(FieldsTest, TextBytesAndJsonAreOneValueOfBytes) {
  const std::string path = write(
      {{bytes_feature("t", "na\xc3\xafve"), bytes_feature("b", "\xff"), bytes_feature("j", "[1]")},
       {bytes_feature("t", ""), bytes_feature("b", "ab"), bytes_feature("j", "{}")}});
  const auto batch = first_batch(records(path).text("t").bytes("b").json("j").batch(2));
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  EXPECT_EQ(elements<char>((*batch)->array(0)),
            (std::vector<char>{'n', 'a', '\xc3', '\xaf', 'v', 'e'}));
  EXPECT_EQ(offsets_of(**batch, 0), (Ints{0, 6, 6}));
  EXPECT_EQ(offsets_of(**batch, 1), (Ints{0, 1, 3}));
  EXPECT_EQ(offsets_of(**batch, 2), (Ints{0, 3, 5}));
}

TEST_F(FieldsTest, ImagesAreOneValueOfBytes) {
  const std::vector<std::uint8_t> pixels(16 * 16 * 3, 200);
  const auto jpeg = decode::encode_jpeg({pixels.data(), 16, 16, 3, 48}, {});
  ASSERT_TRUE(jpeg.ok());
  const std::string_view encoded(reinterpret_cast<const char*>(jpeg->data()), jpeg->size());
  const std::string path = write({{bytes_feature("image/encoded", encoded)}});
  const auto batch = first_batch(records(path).image("image/encoded", CenterCrop{8}));
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  EXPECT_EQ(elements<std::uint8_t>((*batch)->array(0)), std::vector<std::uint8_t>(3 * 8 * 8, 200));
}

TEST_F(FieldsTest, TheFirstFeatureThatARecordHasIsTaken) {
  const std::string path = write({{{"a", Ints{1}}}, {{"b", Ints{2}}}});
  const auto batch = first_batch(records(path).label("a;b").batch(2));
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  EXPECT_EQ(elements<std::int64_t>((*batch)->array(0)), (Ints{1, 2}));
}

TEST_F(FieldsTest, RecordsWithoutTheFeatureGetTheDefault) {
  const std::string path = write({{{"a", Ints{1}}, {"b", Floats{2}}}, {{"b", Floats{3}}}});
  const auto batch = first_batch(records(path).label("a", -1).batch(2));
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  EXPECT_EQ(elements<std::int64_t>((*batch)->array(0)), (Ints{1, -1}));
}

TEST_F(FieldsTest, AFeatureThatIsMissingIsNamedWithThoseThereAre) {
  const std::string path =
      write({{{"a", Ints{1}}, {"b", Ints{2}}, {"c", Ints{2}}}, {{"b", Ints{3}}, {"c", Ints{2}}}});
  EXPECT_TRUE(error_of(records(path).label("a").label("b").batch(2))
                  .ends_with(": no feature 'a', it has: b, c"))
      << error_of(records(path).label("a").label("b").batch(2));
}

TEST_F(FieldsTest, TheWrongNumberOfValuesIsNamed) {
  const std::string path = write({{{"x", Floats{1, 2, 3, 4, 5}}}});
  EXPECT_TRUE(error_of(records(path).array("x", {.shape = {{3, 2}}}))
                  .ends_with(": x: has 5 values, expected 3x2 = 6"));
  EXPECT_TRUE(error_of(records(path).array("x", {.shape = {{2}}, .ragged = true}))
                  .ends_with(": x: has 5 values, expected a multiple of 2"));
  EXPECT_TRUE(error_of(records(path).array("x", {.length = 4}))
                  .ends_with(": x: is 5 long, expected at most 4"));
  EXPECT_TRUE(error_of(records(path).number("x")).ends_with(": x: has 5 values, expected 1"));
}

TEST_F(FieldsTest, ListsOfBytesAreNotRead) {
  const std::string path = write({{{"x", std::vector<Bytes>{bytes_of("a"), bytes_of("b")}}}});
  const auto batch = first_batch(records(path).text("x"));
  EXPECT_EQ(batch.status().code(), Code::kUnsupported);
  EXPECT_TRUE(batch.status().message().ends_with(
      ": x: has 2 values of bytes, expected one; lists are not read"));
}

TEST_F(FieldsTest, AReaderThatDoesNotFitTheFeatureIsNamedBeforeAnythingRuns) {
  const std::string path = write({{{"i", Ints{1}}, {"f", Floats{1}}, bytes_feature("b", "x")}});
  EXPECT_EQ(error_of(records(path).label("f")),
            "label 'f': is a feature of float, which does not convert to i64");
  EXPECT_EQ(error_of(records(path).number("b")),
            "number 'b': is a feature of bytes, expected numbers; use bytes, text or npy");
  EXPECT_EQ(error_of(records(path).text("i")),
            "text 'i': is a feature of numbers, expected bytes; use number or array");
  EXPECT_EQ(
      error_of(records(path).array("i")),
      "array 'i': is a feature, which does not say how many values it has: give shape, ragged "
      "or length");
}

TEST_F(FieldsTest, ARecordThatWasChangedIsCorrupt) {
  const std::string path = write({{{"label", Ints{3}}}});
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(16);
  file.put('\x7f');
  file.close();
  const auto batch = first_batch(
      Pipeline({"tfrecord", {path}, {{"index_cache", "false"}, {"features", "label:int64"}}})
          .label("label"));
  EXPECT_EQ(batch.status().code(), Code::kCorrupt) << batch.status().message();
}

}  // namespace
}  // namespace penstock
