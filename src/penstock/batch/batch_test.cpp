#include "penstock/batch/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace penstock::batch {
namespace {

BatchLayout image_and_label() {
  BatchLayout layout(3);
  layout.add_field("image", DType::kF32, {3, 5, 7});
  layout.add_field("label", DType::kI64, {});
  return layout;
}

TEST(BatchLayoutTest, FieldsBeginAligned) {
  const BatchLayout layout = image_and_label();
  EXPECT_EQ(layout.fields()[0].offset, 0u);
  EXPECT_EQ(layout.fields()[0].sample_bytes, 420u);
  EXPECT_EQ(layout.fields()[1].offset, 1280u);  // 3 * 420 = 1260, rounded up to 64
  EXPECT_EQ(layout.fields()[1].sample_bytes, 8u);
  EXPECT_EQ(layout.size_bytes(), 1344u);
}

TEST(BatchTest, SamplesLieOneAfterTheOther) {
  Batch batch(image_and_label());
  batch.count = 2;
  EXPECT_EQ(batch.sample(0, 1).data(), batch.memory.data() + 420);
  EXPECT_EQ(batch.sample(1, 2).data(), batch.memory.data() + 1280 + 16);
  EXPECT_EQ(batch.array(0).size(), 840u);
}

TEST(BatchTest, LargeSlotsAreAlignedToHugePages) {
  BatchLayout layout(64);
  layout.add_field("image", DType::kU8, {224, 224, 3});
  const Batch batch(layout);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.memory.data()) % (2u << 20), 0u);
}

BatchLayout label_and_tokens(std::size_t capacity) {
  BatchLayout layout(capacity);
  layout.add_field("label", DType::kI64, {});
  layout.add_ragged_field("tokens", DType::kI32, {2});
  return layout;
}

// Writes a sample: its number as id and label, and rows of its number.
void write(Batch& batch, std::size_t place, std::int32_t number, std::size_t num_rows) {
  batch.samples[place] = static_cast<std::uint64_t>(number);
  const std::int64_t label = number;
  std::memcpy(batch.sample(0, place).data(), &label, sizeof label);
  const auto rows = batch.rows(1, place, num_rows);
  ASSERT_TRUE(rows.ok());
  const std::vector<std::int32_t> values(num_rows * 2, number);
  ASSERT_EQ(rows->size(), values.size() * sizeof(std::int32_t));
  std::ranges::copy(std::as_bytes(std::span(values)), rows->begin());
}

template <class T>
std::vector<T> elements(Bytes bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

std::vector<std::int64_t> offsets_of(const Batch& batch) {
  return {batch.offsets(1).begin(), batch.offsets(1).end()};
}

TEST(BatchLayoutTest, OfARaggedFieldTheSlotHoldsTheOffsets) {
  const BatchLayout layout = label_and_tokens(9);
  EXPECT_EQ(layout.fields()[1].offset, 128u);  // 9 * 8 = 72, rounded up to 64
  EXPECT_EQ(layout.fields()[1].sample_bytes, 8u);
  EXPECT_EQ(layout.size_bytes(), 256u);  // and 10 * 8 = 80
}

TEST(BatchTest, SealPutsRowsOneAfterTheOther) {
  Batch batch(label_and_tokens(4));
  batch.count = 3;
  write(batch, 2, 7, 1);
  write(batch, 0, 5, 2);
  write(batch, 1, 6, 0);
  ASSERT_TRUE(batch.seal().ok());
  EXPECT_EQ(elements<std::int32_t>(batch.array(1)), (std::vector{5, 5, 5, 5, 7, 7}));
  EXPECT_EQ(offsets_of(batch), (std::vector<std::int64_t>{0, 2, 2, 3}));
}

TEST(BatchTest, ABatchWithoutRowsHasAnEmptyArray) {
  Batch batch(label_and_tokens(2));
  batch.count = 1;
  write(batch, 0, 5, 0);
  ASSERT_TRUE(batch.seal().ok());
  EXPECT_TRUE(batch.array(1).empty());
  EXPECT_NE(batch.array(1).data(), nullptr);
  EXPECT_EQ(offsets_of(batch), (std::vector<std::int64_t>{0, 0}));
}

TEST(BatchTest, ASlotCanBeWrittenAgain) {
  Batch batch(label_and_tokens(2));
  batch.count = 2;
  write(batch, 0, 1, 3);
  write(batch, 1, 2, 3);
  ASSERT_TRUE(batch.seal().ok());
  write(batch, 0, 3, 1);
  write(batch, 1, 4, 0);
  ASSERT_TRUE(batch.seal().ok());
  EXPECT_EQ(elements<std::int32_t>(batch.array(1)), (std::vector{3, 3}));
}

TEST(BatchTest, DropMovesTheLastSamplesIntoTheGaps) {
  Batch batch(label_and_tokens(6));
  batch.count = 6;
  for (std::int32_t i = 0; i < 6; ++i) {
    write(batch, static_cast<std::size_t>(i), i, static_cast<std::size_t>(i));
  }
  batch.drop(std::vector<std::size_t>{1, 2, 5});
  ASSERT_TRUE(batch.seal().ok());
  EXPECT_EQ(batch.count, 3u);
  EXPECT_EQ((std::vector(batch.samples.begin(), batch.samples.begin() + 3)),
            (std::vector<std::uint64_t>{0, 4, 3}));
  EXPECT_EQ(elements<std::int64_t>(batch.array(0)), (std::vector<std::int64_t>{0, 4, 3}));
  EXPECT_EQ(offsets_of(batch), (std::vector<std::int64_t>{0, 0, 4, 7}));
  EXPECT_EQ(elements<std::int32_t>(batch.array(1)),
            (std::vector{4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3}));
}

TEST(BatchTest, DropCanTakeEverySample) {
  Batch batch(label_and_tokens(2));
  batch.count = 2;
  batch.drop(std::vector<std::size_t>{0, 1});
  ASSERT_TRUE(batch.seal().ok());
  EXPECT_EQ(batch.count, 0u);
  EXPECT_EQ(offsets_of(batch), (std::vector<std::int64_t>{0}));
}

TEST(BatchTest, CountsTheMemoryOfRaggedFields) {
  Batch batch(label_and_tokens(2));
  batch.count = 1;
  const std::uint64_t before = batch.memory_bytes();
  write(batch, 0, 1, 1000);
  ASSERT_TRUE(batch.seal().ok());
  // What the sample wrote and its copy in the array, each with a quarter to spare.
  EXPECT_GE(batch.memory_bytes(), before + 16'000);
  EXPECT_LT(batch.memory_bytes(), before + 21'000);
}

}  // namespace
}  // namespace penstock::batch
