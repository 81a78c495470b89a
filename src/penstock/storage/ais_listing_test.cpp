#include "penstock/storage/ais_listing.h"

#include <gtest/gtest.h>

namespace penstock::storage {
namespace {

constexpr std::string_view kPage =
    R"({"continuation_token":"t","entries":[{"name":"a/b/x","size":"3"},{"name":"a/b/y","size":"4"},
        {"name":"a/z"}]})";

TEST(AisListingTest, ListsEverything) {
  const auto page = parse_ais_listing(kPage, "ais://k/", std::nullopt);
  ASSERT_TRUE(page.ok()) << page.status().message();
  ASSERT_EQ(page->objects.size(), 3u);
  EXPECT_EQ(page->objects[1].path, "ais://k/a/b/y");
  EXPECT_EQ(page->objects[1].size_bytes, 4u);
  EXPECT_EQ(page->objects[2].size_bytes, 0u);
  EXPECT_EQ(page->next, "t");
}

TEST(AisListingTest, ListsWhatLiesDirectlyInAFolder) {
  const auto page = parse_ais_listing(kPage, "ais://k/", "a/");
  ASSERT_TRUE(page.ok()) << page.status().message();
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].path, "ais://k/a/z");
  EXPECT_EQ(page->folders, std::vector<std::string>{"ais://k/a/b"});
}

TEST(AisListingTest, RefusesWhatIsNoListing) {
  EXPECT_EQ(parse_ais_listing("[]", "r/", "").status(),
            corrupt("the gateway's listing is no JSON object"));
  EXPECT_EQ(parse_ais_listing(R"({"entries":[{"name":"a","size":"x"}]})", "r/", "").status(),
            corrupt("the gateway's listing says x for the size of a"));
}

}  // namespace
}  // namespace penstock::storage
