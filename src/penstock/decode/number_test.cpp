#include "penstock/decode/number.h"

#include <gtest/gtest.h>

#include <limits>
#include <string_view>

namespace penstock::decode {
namespace {

Result<std::int64_t> decode(std::string_view text) {
  return decode_integer(std::as_bytes(std::span(text)));
}

TEST(DecodeIntegerTest, ReadsDecimalsWithBlanksAround) {
  EXPECT_EQ(*decode("17"), 17);
  EXPECT_EQ(*decode(" -3\r\n"), -3);
}

TEST(DecodeIntegerTest, RejectsEverythingElse) {
  for (const std::string_view text : {"", " ", "3.5", "cat", "1 2", "99999999999999999999"}) {
    EXPECT_FALSE(decode(text).ok()) << text;
  }
  EXPECT_EQ(decode("cat").status().message(), "'cat' is not a whole number");
}

Result<double> decode_real(std::string_view text) {
  return decode::decode_real(std::as_bytes(std::span(text)));
}

TEST(DecodeRealTest, ReadsNumbersWithBlanksAround) {
  EXPECT_EQ(*decode_real("17"), 17.0);
  EXPECT_EQ(*decode_real(" -0.25\n"), -0.25);
  EXPECT_EQ(*decode_real("1e-3"), 0.001);
  EXPECT_EQ(*decode_real("inf"), std::numeric_limits<double>::infinity());
}

TEST(DecodeRealTest, RejectsEverythingElse) {
  for (const std::string_view text : {"", "cat", "1 2", "0.5x", "1,5", "1e999"}) {
    EXPECT_FALSE(decode_real(text).ok()) << text;
  }
  EXPECT_EQ(decode_real("0.5x").status().message(), "'0.5x' is not a number");
}

}  // namespace
}  // namespace penstock::decode
