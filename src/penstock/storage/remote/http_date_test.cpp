#include "penstock/storage/remote/http_date.h"

#include <gtest/gtest.h>

namespace penstock::storage {
namespace {

constexpr std::int64_t kTime = 784111777;  // seconds

TEST(HttpDateTest, ReadsTheDateOfAHeader) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), kTime * 1'000'000'000);
}

TEST(HttpDateTest, ReadsTheDateOfAListing) {
  EXPECT_EQ(parse_iso_date("1994-11-06T08:49:37.000Z"), kTime * 1'000'000'000);
  EXPECT_EQ(parse_iso_date("1994-11-06T08:49:37Z"), kTime * 1'000'000'000);
}

TEST(HttpDateTest, KnowsWhatIsNoDate) {
  for (const char* text : {"", "yesterday", "Sun, 06 Nox 1994 08:49:37 GMT",
                           "Sun, 36 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:4x:37 GMT"}) {
    EXPECT_EQ(parse_http_date(text), 0) << text;
  }
  EXPECT_EQ(parse_iso_date("1994-13-06T08:49:37Z"), 0);
  EXPECT_EQ(parse_iso_date("1994-11-06 08:49:37Z"), 0);
}

TEST(HttpDateTest, KnowsNoTimeThatNanosecondsDoNotReach) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 9999 08:49:37 GMT"), 0);
  EXPECT_EQ(parse_iso_date("0001-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_iso_date("2261-12-31T23:59:59Z"), 9'214'646'399'000'000'000);
}

}  // namespace
}  // namespace penstock::storage
