#include "penstock/storage/s3/signature.h"

#include <gtest/gtest.h>

#include "penstock/base/text.h"

namespace penstock::storage {
namespace {

// The examples of "Authenticating Requests: Using the Authorization Header", Amazon S3 API
// reference.
const S3Keys kKeys{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
constexpr std::int64_t kTime = 1369353600;  // 2013-05-24 00:00:00
constexpr std::string_view kHost = "examplebucket.s3.amazonaws.com";

std::string authorization(const S3Call& call, const S3Keys& keys = kKeys) {
  return signed_headers(call, keys, {.region = "us-east-1"}, kTime).back();
}

std::string expected(std::string_view names, std::string_view signature) {
  return concat(
      "Authorization: AWS4-HMAC-SHA256 "
      "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=",
      names, ", Signature=", signature);
}

TEST(SignatureTest, SignsAGetWithARange) {
  EXPECT_EQ(authorization({.method = "GET",
                           .host = kHost,
                           .path = "/test.txt",
                           .headers = {{"range", "bytes=0-9"}},
                           .payload_hash = std::string(kEmptyPayloadHash)}),
            expected("host;range;x-amz-content-sha256;x-amz-date",
                     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"));
}

TEST(SignatureTest, SignsAPut) {
  EXPECT_EQ(authorization({.method = "PUT",
                           .host = kHost,
                           .path = "/test$file.text",
                           .headers = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                                       {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                           .payload_hash = sha256("Welcome to Amazon S3.")}),
            expected("date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(SignatureTest, SignsANameWithoutAValue) {
  EXPECT_EQ(authorization({.method = "GET",
                           .host = kHost,
                           .path = "/",
                           .query = {{"lifecycle", ""}},
                           .payload_hash = std::string(kEmptyPayloadHash)}),
            expected("host;x-amz-content-sha256;x-amz-date",
                     "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
}

TEST(SignatureTest, SignsAQuery) {
  EXPECT_EQ(authorization({.method = "GET",
                           .host = kHost,
                           .path = "/",
                           .query = {{"prefix", "J"}, {"max-keys", "2"}},
                           .payload_hash = std::string(kEmptyPayloadHash)}),
            expected("host;x-amz-content-sha256;x-amz-date",
                     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(SignatureTest, SignsTheTokenOfASession) {
  const S3Keys keys{kKeys.key, kKeys.secret, "token"};
  const auto headers = signed_headers(
      {.method = "GET", .host = kHost, .path = "/", .payload_hash = std::string(kEmptyPayloadHash)},
      keys, {.region = "us-east-1"}, kTime);
  EXPECT_EQ(headers[2], "x-amz-security-token: token");
  EXPECT_NE(headers.back().find("x-amz-date;x-amz-security-token,"), std::string::npos);
}

TEST(SignatureTest, EscapesNamesAndValuesOfAQuery) {
  EXPECT_EQ(canonical_query({{"b", "a/b c"}, {"a", "+%\xc3\xbc"}}), "a=%2B%25%C3%BC&b=a%2Fb%20c");
}

}  // namespace
}  // namespace penstock::storage
