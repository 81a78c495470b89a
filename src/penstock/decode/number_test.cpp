#include "penstock/decode/number.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(decode("cat").status().message(), "label: 'cat' is not a whole number");
}

}  // namespace
}  // namespace penstock::decode
