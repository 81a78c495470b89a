#include "penstock/storage/remote/checksum.h"

#include <gtest/gtest.h>

#include <string_view>

namespace penstock::storage {
namespace {

HttpResponse with(HttpHeaders headers) {
  HttpResponse response;
  response.headers = std::move(headers);
  return response;
}

constexpr std::uint32_t kCrc = 0xe3069283;  // of "123456789"

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(ChecksumTest, ReadsTheHashOfGoogle) {
  EXPECT_EQ(stated_crc32c(with({{"x-goog-hash", "crc32c=4waSgw=="}})), kCrc);
  EXPECT_EQ(stated_crc32c(with({{"x-goog-hash", "md5=Ojk9c3dhfxgoKVVHYwFbHQ==, crc32c=4waSgw=="}})),
            kCrc);
  EXPECT_EQ(stated_crc32c(with({{"x-goog-hash", "md5=Ojk9c3dhfxgoKVVHYwFbHQ=="},
                                {"x-goog-hash", "crc32c=4waSgw=="}})),
            kCrc);
}

TEST(ChecksumTest, PassesOverTheHashOfBytesThatAreSentDecompressed) {
  const std::string name = "x-goog-stored-content-encoding";
  const std::pair<std::string, std::string> hash = {"x-goog-hash", "crc32c=4waSgw=="};
  EXPECT_EQ(stated_crc32c(with({{name, "gzip"}, hash})), std::nullopt);
  EXPECT_EQ(stated_crc32c(with({{name, "identity"}, hash})), kCrc);
}

TEST(ChecksumTest, ReadsTheChecksumOfAmazon) {
  EXPECT_EQ(stated_crc32c(with({{"x-amz-checksum-crc32c", "4waSgw=="}})), kCrc);
}

TEST(ChecksumTest, PassesOverAChecksumOfParts) {
  EXPECT_EQ(stated_crc32c(with({{"x-amz-checksum-crc32c", "4waSgw==-2"}})), std::nullopt);
  EXPECT_EQ(stated_crc32c(with(
                {{"x-amz-checksum-crc32c", "4waSgw=="}, {"x-amz-checksum-type", "COMPOSITE"}})),
            std::nullopt);
}

TEST(ChecksumTest, ReadsTheChecksumOfAistore) {
  EXPECT_EQ(
      stated_crc32c(with({{"ais-checksum-type", "crc32c"}, {"ais-checksum-value", "e3069283"}})),
      kCrc);
}

TEST(ChecksumTest, PassesOverOtherKinds) {
  EXPECT_EQ(
      stated_crc32c(with({{"ais-checksum-type", "xxhash2"}, {"ais-checksum-value", "e3069283"}})),
      std::nullopt);
  EXPECT_EQ(stated_crc32c(with({{"x-amz-checksum-crc32", "4waSgw=="}})), std::nullopt);
  EXPECT_EQ(stated_crc32c(with({{"etag", "\"25f9e794323b453885f5181f1b624d0b\""}})), std::nullopt);
}

TEST(ChecksumTest, PassesOverWhatIsNoChecksum) {
  for (const char* text : {"", "4waSgw", "4waSg===", "4wa!gw==", "4waSgw== "}) {
    EXPECT_EQ(stated_crc32c(with({{"x-amz-checksum-crc32c", text}})), std::nullopt) << text;
    EXPECT_EQ(stated_crc32c(with({{"x-goog-hash", std::string("crc32c=") + text}})), std::nullopt)
        << text;
  }
  for (const char* text : {"", "e306928", "0xe30692", "e306928g", "-3069283"}) {
    EXPECT_EQ(stated_crc32c(with({{"ais-checksum-type", "crc32c"}, {"ais-checksum-value", text}})),
              std::nullopt)
        << text;
  }
}

TEST(ChecksumTest, NoticesOtherBytes) {
  const HttpResponse response = with({{"x-goog-hash", "crc32c=4waSgw=="}});
  EXPECT_TRUE(check_object(bytes_of("123456789"), response).ok());
  EXPECT_EQ(check_object(bytes_of("123456780"), response),
            corrupt("crc32c of what came is 0x9bb4494f, expected 0xe3069283"));
  EXPECT_TRUE(check_object(bytes_of("123456780"), {}).ok());
}

}  // namespace
}  // namespace penstock::storage
