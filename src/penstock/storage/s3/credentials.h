// Where the keys for S3 come from.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "penstock/base/result.h"
#include "penstock/storage/http/client.h"
#include "penstock/storage/s3/profile.h"
#include "penstock/storage/s3/signature.h"

namespace penstock::storage {

// The outside world, as far as keys and settings are concerned.
struct S3Environment {
  std::function<std::string(const char* name)> variable;        // "" if it is not set
  std::function<Result<std::string>(const std::string&)> read;  // a local file
  std::function<std::int64_t()> now_s;                          // since 1970

  static S3Environment of_process();
};

// The user's profile: that of the config file, and over it that of the credentials file.
Profile load_profile(const S3Environment& environment);

// Looked for in this order, as Amazon's own tools do: the variables AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; a web identity (AWS_WEB_IDENTITY_TOKEN_FILE,
// AWS_ROLE_ARN); the profile; the container's (AWS_CONTAINER_CREDENTIALS_...); the instance's
// metadata. Keys that expire are fetched anew in time. Safe from any thread.
class S3Credentials {
 public:
  S3Credentials(std::shared_ptr<HttpClient> client, S3Environment environment)
      : client_(std::move(client)), environment_(std::move(environment)) {}

  // Fails with kNotFound, saying where they were looked for.
  Result<S3Keys> keys();

 private:
  struct Found {
    S3Keys keys;
    std::int64_t expires_s = 0;  // 0: never
  };

  Result<std::optional<Found>> find();
  std::optional<Found> from_variables() const;
  std::optional<Found> from_profile() const;
  Result<std::optional<Found>> from_web_identity() const;
  Result<std::optional<Found>> from_container() const;
  Result<std::optional<Found>> from_instance() const;
  std::string variable(const char* name) const { return environment_.variable(name); }

  const std::shared_ptr<HttpClient> client_;
  const S3Environment environment_;
  std::mutex mutex_;
  std::optional<Found> found_;
};

}  // namespace penstock::storage
