#include "penstock/storage/http/url.h"

#include <gtest/gtest.h>

namespace penstock::storage {
namespace {

TEST(UrlTest, TakesAUrlApart) {
  const Url url = parse_url("https://host:8080/a/b.tar?x=1&y=/");
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.host, "host:8080");
  EXPECT_EQ(url.path, "/a/b.tar");
  EXPECT_EQ(url.query, "x=1&y=/");
}

TEST(UrlTest, TakesAUrlWithoutAPath) {
  const Url url = parse_url("http://host");
  EXPECT_EQ(url.host, "host");
  EXPECT_EQ(url.path, "");
}

TEST(UrlTest, TellsWhereTheServerIs) {
  EXPECT_EQ(origin_of("https://user@host:80/a//b?x=1"), "https://user@host:80");
  EXPECT_EQ(origin_of("http://host"), "http://host");
}

TEST(UrlTest, EscapesAllButUnreservedCharacters) {
  EXPECT_EQ(escape_text("a b+c%/\xc3\xbc~-._9", true), "a%20b%2Bc%25/%C3%BC~-._9");
  EXPECT_EQ(escape_text("a/b", false), "a%2Fb");
}

TEST(UrlTest, LeavesTheEscapesOfAUrl) {
  EXPECT_EQ(escape_url("http://host/a%20b c?d=e"), "http://host/a%20b%20c?d=e");
}

TEST(UrlTest, Unescapes) {
  EXPECT_EQ(unescape_text("a%20b%2Bc%c3%BC"), "a b+c\xc3\xbc");
  EXPECT_EQ(unescape_text("100%"), "100%");
  EXPECT_EQ(unescape_text("%zz%4"), "%zz%4");
  EXPECT_EQ(unescape_text("%41"), "A");
}

}  // namespace
}  // namespace penstock::storage
