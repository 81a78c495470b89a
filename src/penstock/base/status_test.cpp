#include <gtest/gtest.h>

#include "penstock/base/array.h"
#include "penstock/base/hash.h"
#include "penstock/base/result.h"

namespace penstock {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return invalid_argument("value is ", value, ", expected an even one");
  return value / 2;
}

Result<int> quarter(int value) {
  PENSTOCK_TRY_ASSIGN(const int halved, half(value));
  return half(halved);
}

TEST(StatusTest, SuccessHasNoMessage) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().at("anywhere"), Status());
}

TEST(StatusTest, LayersAddWhere) {
  EXPECT_EQ(corrupt("truncated after ", 10, " bytes").at("cat.jpg").at("train.tar").message(),
            "train.tar: cat.jpg: truncated after 10 bytes");
}

TEST(ResultTest, TryAssignPassesFailuresOn) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).status().message(), "value is 3, expected an even one");
}

TEST(ShapeTest, CountsAndPrints) {
  EXPECT_EQ(Shape({3, 224, 224}).size(), 150'528u);
  EXPECT_EQ(Shape({3, 224, 224}).text(), "3x224x224");
  EXPECT_EQ(Shape().size(), 1u);
}

// Stored in indexes and checkpoints: these values may never change.
TEST(HashTest, IsStable) {
  EXPECT_EQ(hash_text(""), 0xe220a8397b1dcdafu);
  EXPECT_EQ(hash_text("penstock"), 0x6e2181256c849761u);
}

}  // namespace
}  // namespace penstock
