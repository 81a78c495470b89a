#include "penstock/storage/s3/dialect.h"

#include <gtest/gtest.h>

#include "penstock/storage/http/test_client.h"
#include "penstock/storage/remote/transfer.h"

namespace penstock::storage {
namespace {

// Signs with the name of the region.
Result<std::vector<std::string>> region_as_signature(const S3Call& call, std::string_view region) {
  std::vector<std::string> headers = unsigned_headers(call);
  headers.push_back(concat("Authorization: ", region));
  return headers;
}

std::unique_ptr<Dialect> amazon() {
  return make_s3_dialect({.endpoint = "https://s3.{region}.amazonaws.com", .region = "us-east-1"},
                         region_as_signature);
}

std::unique_ptr<Dialect> own_store() {
  return make_s3_dialect(
      {.endpoint = "http://store:9000", .region = "us-east-1", .uses_path_style = true},
      region_as_signature);
}

std::string url_of(const Dialect& dialect, std::string_view path) {
  const auto request = dialect.request({.method = "GET", .path = path});
  return request.ok() ? request->url : std::string(request.status().message());
}

TEST(S3DialectTest, PutsTheBucketBeforeTheHost) {
  EXPECT_EQ(url_of(*amazon(), "s3://bucket/a b/c+d.tar"),
            "https://bucket.s3.us-east-1.amazonaws.com/a%20b/c%2Bd.tar");
}

TEST(S3DialectTest, PutsABucketWithDotsIntoThePath) {
  EXPECT_EQ(url_of(*amazon(), "s3://my.bucket/x"),
            "https://s3.us-east-1.amazonaws.com/my.bucket/x");
}

TEST(S3DialectTest, PutsTheBucketOfAnOwnStoreIntoThePath) {
  EXPECT_EQ(url_of(*own_store(), "s3://bucket/x?y#z"), "http://store:9000/bucket/x%3Fy%23z");
}

TEST(S3DialectTest, WantsABucket) {
  EXPECT_EQ(url_of(*amazon(), "s3:///key"), "no bucket, expected s3://bucket/key");
}

TEST(S3DialectTest, AsksForTheChecksumOfAnObject) {
  const auto asks = [](std::string_view method, std::string_view path) {
    return has_header(*amazon()->request({.method = method, .path = path}),
                      "x-amz-checksum-mode: ENABLED");
  };
  EXPECT_TRUE(asks("GET", "s3://bucket/x"));
  EXPECT_FALSE(asks("GET", "s3://bucket"));
  EXPECT_FALSE(asks("HEAD", "s3://bucket/x"));
  EXPECT_FALSE(asks("PUT", "s3://bucket/x"));
}

TEST(S3DialectTest, LearnsWhereABucketLies) {
  const auto dialect = amazon();
  HttpResponse refusal = text_response("", 301);
  refusal.headers = {{"x-amz-bucket-region", "eu-west-1"}};
  const ObjectCall call{.method = "GET", .path = "s3://bucket/x"};
  EXPECT_TRUE(dialect->learns_from(call, refusal));
  EXPECT_FALSE(dialect->learns_from(call, refusal));
  const auto request = dialect->request(call);
  EXPECT_EQ(request->url, "https://bucket.s3.eu-west-1.amazonaws.com/x");
  EXPECT_TRUE(has_header(*request, "Authorization: eu-west-1"));
  EXPECT_EQ(url_of(*dialect, "s3://other/x"), "https://other.s3.us-east-1.amazonaws.com/x");
}

struct Listing {
  explicit Listing(std::string text)
      : client([text = std::move(text)](const HttpRequest&) { return text_response(text); }) {}

  Result<ListPage> page(const ListCall& call) {
    return dialect->list({*dialect, client, versions, options}, call);
  }

  std::unique_ptr<Dialect> dialect = own_store();
  TestClient client;
  ObjectVersions versions;
  RemoteOptions options;
};

TEST(S3DialectTest, ReadsAPageOfAListing) {
  Listing listing(R"(<?xml version="1.0"?>
    <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
      <IsTruncated>true</IsTruncated><NextContinuationToken>to/ken=</NextContinuationToken>
      <EncodingType>url</EncodingType>
      <Contents><Key>a/</Key><Size>0</Size></Contents>
      <Contents><Key>a/b%20c%2B</Key><Size>17</Size><ETag>"e"</ETag>
        <LastModified>1994-11-06T08:49:37.000Z</LastModified></Contents>
      <CommonPrefixes><Prefix>a/d/</Prefix></CommonPrefixes>
    </ListBucketResult>)");
  const auto page = listing.page({.folder = "s3://bucket/a", .is_deep = false});
  ASSERT_TRUE(page.ok()) << page.status().message();
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].path, "s3://bucket/a/b c+");
  EXPECT_EQ(page->objects[0].size_bytes, 17u);
  EXPECT_EQ(page->objects[0].modified_ns, 784111777'000'000'000);
  EXPECT_EQ(page->etags, std::vector<std::string>{"\"e\""});
  EXPECT_EQ(page->folders, std::vector<std::string>{"s3://bucket/a/d"});
  EXPECT_EQ(page->next, "to/ken=");
  EXPECT_EQ(
      listing.client.asked[0],
      "GET http://store:9000/bucket/?delimiter=%2F&encoding-type=url&list-type=2&prefix=a%2F");
}

TEST(S3DialectTest, TakesKeysAsTheyAreFromServersThatDoNotEscape) {
  Listing listing(R"(<ListBucketResult><Contents><Key>a%20b</Key><Size>1</Size></Contents>
    <CommonPrefixes><Prefix>c%20/</Prefix></CommonPrefixes></ListBucketResult>)");
  const auto page = listing.page({.folder = "s3://bucket", .is_deep = false});
  ASSERT_TRUE(page.ok()) << page.status().message();
  EXPECT_EQ(page->objects[0].path, "s3://bucket/a%20b");
  EXPECT_EQ(page->folders, std::vector<std::string>{"s3://bucket/c%20"});
}

TEST(S3DialectTest, AsksForTheNextPage) {
  Listing listing("<ListBucketResult/>");
  EXPECT_TRUE(listing.page({.folder = "s3://bucket", .page = "to/ken="}).ok());
  EXPECT_EQ(listing.client.asked[0],
            "GET http://store:9000/bucket/?continuation-token=to%2Fken%3D&encoding-type=url&"
            "list-type=2&prefix=");
}

TEST(S3DialectTest, RefusesWhatIsNoListing) {
  EXPECT_EQ(Listing("busy").page({.folder = "s3://bucket"}).status(),
            corrupt("the server's listing is no XML"));
  EXPECT_EQ(Listing("<a/>").page({.folder = "s3://bucket"}).status(),
            corrupt("the server's listing is no ListBucketResult"));
  EXPECT_EQ(Listing("<ListBucketResult><Contents><Key>k</Key><Size>x</Size></Contents>"
                    "</ListBucketResult>")
                .page({.folder = "s3://bucket"})
                .status(),
            corrupt("the server's listing has no size of k"));
}

}  // namespace
}  // namespace penstock::storage
