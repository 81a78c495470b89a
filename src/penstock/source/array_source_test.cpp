#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "penstock/source/source.h"

namespace penstock::source {
namespace {

template <class T>
ArrayColumn column(std::string name, DType dtype, Shape shape, const std::vector<T>& rows) {
  return {{std::move(name), FieldKind::kArray, dtype, shape}, std::as_bytes(std::span(rows))};
}

std::string failure(std::vector<ArrayColumn> columns) {
  const Status status = make_array_source(std::move(columns)).status();
  return std::string(status.message());
}

const std::vector<float> kSix = {0, 1, 2, 3, 4, 5};
const std::vector<std::int64_t> kThree = {7, 8, 9};

TEST(ArraySourceTest, GivesRowsInPlace) {
  const auto source = make_array_source(
      {column("x", DType::kF32, {2}, kSix), column("y", DType::kI64, {}, kThree)});
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_EQ((*source)->num_samples(), 3u);
  EXPECT_THAT((*source)->shard_sizes(), testing::ElementsAre(3u));
  EXPECT_EQ((*source)->fields()[0].name, "x");
  EXPECT_EQ(static_cast<const void*>((*source)->row(1, 0).data()), &kSix[2]);
  EXPECT_EQ((*source)->row(1, 0).size(), 8u);
  EXPECT_EQ(static_cast<const void*>((*source)->row(2, 1).data()), &kThree[2]);
  EXPECT_EQ((*source)->sample_name(2), "sample 2");
}

TEST(ArraySourceTest, FingerprintFollowsTheContent) {
  const std::vector<std::int64_t> other = {7, 8, 10};
  const auto fingerprint = [](const std::vector<std::int64_t>& rows) {
    return (*make_array_source({column("y", DType::kI64, {}, rows)}))->fingerprint();
  };
  EXPECT_EQ(fingerprint(kThree), fingerprint({7, 8, 9}));
  EXPECT_NE(fingerprint(kThree), fingerprint(other));
}

TEST(ArraySourceTest, RefusesNoColumns) {
  EXPECT_EQ(failure({}), "no columns, expected one or more arrays");
}

TEST(ArraySourceTest, RefusesColumnsOfDifferentLength) {
  EXPECT_EQ(failure({column("x", DType::kF32, {}, kSix), column("y", DType::kI64, {}, kThree)}),
            "column y has 3 rows, expected 6 as in column x");
}

TEST(ArraySourceTest, RefusesAPartOfARow) {
  EXPECT_EQ(failure({column("x", DType::kF32, {4}, kSix)}),
            "column x has 24 bytes, expected a multiple of 16 (f32 of shape 4)");
}

TEST(ArraySourceTest, RefusesRowsWithoutElements) {
  EXPECT_EQ(failure({column("x", DType::kF32, {2, 0}, kSix)}),
            "column x has rows of shape 2x0, expected sides of 1 or more");
}

TEST(ArraySourceTest, RefusesRowsLargerThanMemory) {
  EXPECT_EQ(failure({column("x", DType::kF32, {1LL << 40, 1LL << 40}, kSix)}),
            "column x has rows of shape 1099511627776x1099511627776, expected sides of 1 or more");
}

TEST(ArraySourceTest, RefusesNoRows) {
  EXPECT_EQ(failure({column("x", DType::kF32, {}, std::vector<float>{})}),
            "the arrays have no rows, expected one or more");
}

TEST(ArraySourceTest, RefusesANameTwice) {
  EXPECT_EQ(failure({column("x", DType::kF32, {}, kSix), column("x", DType::kF32, {}, kSix)}),
            "two columns are named x");
}

TEST(ArraySourceTest, RefusesAColumnOfBytesInStorage) {
  ArrayColumn bytes = column("x", DType::kF32, {}, kSix);
  bytes.info.kind = FieldKind::kBytes;
  EXPECT_EQ(failure({bytes}), "column x is of kind bytes, expected an array");
}

}  // namespace
}  // namespace penstock::source
