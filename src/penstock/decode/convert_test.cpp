#include "penstock/decode/convert.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace penstock::decode {
namespace {

template <class To, class From>
Result<std::vector<To>> convert(DType from, const std::vector<From>& in, DType to) {
  std::vector<To> out(in.size());
  PENSTOCK_TRY(convert_numbers(from, std::as_bytes(std::span(in)), to,
                               std::as_writable_bytes(std::span(out))));
  return out;
}

TEST(ConvertNumbersTest, WholeNumbersBecomeAnything) {
  const std::vector<std::int64_t> in = {0, 7, 255};
  EXPECT_EQ(*convert<std::uint8_t>(DType::kI64, in, DType::kU8),
            (std::vector<std::uint8_t>{0, 7, 255}));
  EXPECT_EQ(*convert<std::int32_t>(DType::kI64, in, DType::kI32), (std::vector{0, 7, 255}));
  EXPECT_EQ(*convert<float>(DType::kI64, in, DType::kF32), (std::vector{0.f, 7.f, 255.f}));
  EXPECT_EQ(*convert<double>(DType::kI64, in, DType::kF64), (std::vector{0., 7., 255.}));
}

TEST(ConvertNumbersTest, FloatsAreRounded) {
  EXPECT_EQ(*convert<float>(DType::kF64, std::vector{0.1, -2.5}, DType::kF32),
            (std::vector{0.1f, -2.5f}));
}

TEST(ConvertNumbersTest, TheSameTypeIsCopied) {
  const std::vector<std::uint16_t> halves = {0x3c00, 0x4000};
  EXPECT_EQ(*convert<std::uint16_t>(DType::kF16, halves, DType::kF16), halves);
}

TEST(ConvertNumbersTest, RejectsANumberThatDoesNotFit) {
  const std::vector<std::int64_t> in = {1, 3'000'000'000};
  EXPECT_EQ(convert<std::int32_t>(DType::kI64, in, DType::kI32).status().message(),
            "value 3000000000 at place 1 does not fit i32");
  EXPECT_EQ(convert<std::uint8_t>(DType::kI32, std::vector{-1}, DType::kU8).status().message(),
            "value -1 at place 0 does not fit u8");
}

TEST(ConvertNumbersTest, RejectsFloatsToWholeNumbers) {
  EXPECT_FALSE(can_convert(DType::kF32, DType::kI64));
  EXPECT_EQ(convert<std::int64_t>(DType::kF64, std::vector{1.5}, DType::kI64).status().message(),
            "values are f64, which do not convert to i64");
}

}  // namespace
}  // namespace penstock::decode
