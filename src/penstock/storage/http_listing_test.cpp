#include "penstock/storage/http_listing.h"

#include <gtest/gtest.h>

namespace penstock::storage {
namespace {

TEST(HttpListingTest, FollowsOnlyLinksIntoTheFolder) {
  ListPage page;
  add_html_listing(
      "http://h/f/",
      R"(<a href="../">up</a><a href="?C=N">Name</a><a href="/x">x</a>)"
      R"(<a href="http://other/y">y</a><a href="./a%20b">a b</a><a href="cat/">cat</a>)",
      page);
  ASSERT_EQ(page.objects.size(), 1u);
  EXPECT_EQ(page.objects[0].path, "http://h/f/a%20b");
  EXPECT_EQ(page.folders, std::vector<std::string>{"http://h/f/cat"});
  EXPECT_FALSE(page.has_sizes);
}

TEST(HttpListingTest, ReadsTheJsonOfNginx) {
  ListPage page;
  const Status status = add_json_listing("http://h/f/",
                                         R"([{"name":"cat","type":"directory"},
          {"name":"a b","type":"file","mtime":"Sun, 06 Nov 1994 08:49:37 GMT","size":17}])",
                                         page);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(page.objects.size(), 1u);
  EXPECT_EQ(page.objects[0].path, "http://h/f/a%20b");
  EXPECT_EQ(page.objects[0].size_bytes, 17u);
  EXPECT_EQ(page.objects[0].modified_ns, 784111777'000'000'000);
  EXPECT_EQ(page.folders, std::vector<std::string>{"http://h/f/cat"});
}

TEST(HttpListingTest, RefusesWhatIsNoListing) {
  ListPage page;
  EXPECT_EQ(add_json_listing("f/", "{}", page), corrupt("the server's listing is no JSON array"));
  EXPECT_EQ(add_json_listing("f/", "[3]", page),
            corrupt("an entry of the server's listing has no name"));
  EXPECT_EQ(add_json_listing("f/", R"([{"name":"a","size":-1}])", page),
            corrupt("an entry of the server's listing has no size"));
}

}  // namespace
}  // namespace penstock::storage
