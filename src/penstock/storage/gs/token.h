// OAuth tokens for Google Cloud Storage.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "penstock/base/result.h"
#include "penstock/storage/http/client.h"
#include "penstock/storage/s3/credentials.h"

namespace penstock::storage {

// Base64 of RFC 4648, section 5, without padding.
std::string base64_url(std::string_view bytes);

// A JSON Web Token, signed with RS256 by a key in PEM. Fails with kInvalidArgument if it is no key.
Result<std::string> signed_token(std::string_view claims, const std::string& private_key);

// Looked for in this order: GOOGLE_OAUTH_ACCESS_TOKEN, CLOUDSDK_AUTH_ACCESS_TOKEN; the file that
// GOOGLE_APPLICATION_CREDENTIALS names, or that `gcloud auth application-default login` left (a
// service account, or a user's refresh token); the metadata server. A token that expires is fetched
// anew in time. Safe from any thread.
class GoogleToken {
 public:
  GoogleToken(std::shared_ptr<HttpClient> client, S3Environment environment)
      : client_(std::move(client)), environment_(std::move(environment)) {}

  // Fails with kNotFound, saying where it was looked for.
  Result<std::string> token();

 private:
  Status fetch();
  Status fetch_with_file(const std::string& path, const std::string& text);
  Status exchange(const std::string& url, const std::string& form);
  Status fetch_from_metadata();
  Status take(const HttpResponse& response, std::string_view from);

  const std::shared_ptr<HttpClient> client_;
  const S3Environment environment_;
  std::mutex mutex_;
  std::string token_;
  std::int64_t expires_s_ = 0;  // 0: never
};

}  // namespace penstock::storage
