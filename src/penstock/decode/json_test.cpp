#include "penstock/decode/json.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace penstock::decode {
namespace {

Status check(std::string_view text) { return check_json(std::as_bytes(std::span(text))); }

TEST(CheckJsonTest, AcceptsOneValue) {
  for (const std::string_view text :
       {"null", " 17\n", "-1.5e3", "\"na\xc3\xafve\"", "[]", R"({"a": [1, {"b": true}]})"}) {
    EXPECT_TRUE(check(text).ok()) << text;
  }
}

TEST(CheckJsonTest, RejectsEverythingElse) {
  for (const std::string_view text :
       {"", " ", "cat", "{'a': 1}", "[1, 2", "[1,]", "1 2", "NaN", "\"\xff\"", "{\"a\"}"}) {
    EXPECT_EQ(check(text).code(), Code::kCorrupt) << text;
  }
}

TEST(CheckJsonTest, SaysWhere) {
  EXPECT_EQ(check("[1, cat]").message(), "not JSON at byte 4");
  EXPECT_EQ(check("[1, 2").message(), "not JSON at byte 5");
}

TEST(CheckJsonTest, RejectsNestingThatOtherParsersDoNotFollow) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(check(nested(500)).ok());
  EXPECT_EQ(check(nested(501)).message(), "JSON is nested deeper than 500 levels");
  EXPECT_EQ(check(nested(1'000'000)).code(), Code::kUnsupported);
}

}  // namespace
}  // namespace penstock::decode
