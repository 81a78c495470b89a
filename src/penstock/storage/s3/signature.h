// AWS Signature Version 4.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/base/array.h"

namespace penstock::storage {

struct S3Keys {
  std::string key;     // "access key id"
  std::string secret;  // "secret access key"
  std::string token;   // of a session; empty if there is none
};

// What is signed. Nothing is escaped yet.
struct S3Call {
  std::string_view method;
  std::string_view host;  // with a port, as the Host header has it
  std::string_view path;  // from the first slash on
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::pair<std::string, std::string>> headers;  // that are signed besides the usual
  std::string payload_hash;                                  // hexadecimal SHA-256, or one of:
};
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
inline constexpr std::string_view kEmptyPayloadHash =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

struct SigningScope {
  std::string_view region;
  std::string_view service = "s3";
};

// Hexadecimal.
std::string sha256(std::string_view bytes);

// "a=1&b=", sorted and escaped: what is signed, and what stands in the url.
std::string canonical_query(std::vector<std::pair<std::string, std::string>> query);

// The headers of a call that nobody signs.
std::vector<std::string> unsigned_headers(const S3Call& call);

// The headers that a signed request has besides Host: x-amz-date, x-amz-content-sha256,
// x-amz-security-token, those of the call, and Authorization. `time_s` is since 1970.
std::vector<std::string> signed_headers(const S3Call& call, const S3Keys& keys,
                                        const SigningScope& scope, std::int64_t time_s);

}  // namespace penstock::storage
