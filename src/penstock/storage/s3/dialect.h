// What S3 and those that speak like it have in common.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/storage/remote/dialect.h"
#include "penstock/storage/s3/signature.h"

namespace penstock::storage {

struct S3Settings {
  std::string scheme = "s3";
  // "https://s3.{region}.amazonaws.com"; for virtual hosts the bucket goes before the host.
  std::string endpoint;
  std::string region;
  bool uses_path_style = false;    // endpoint/bucket/key in place of bucket.endpoint/key
  bool asks_for_checksums = true;  // Amazon's are not sent unasked
};

// The headers that make a call acceptable, with those of the call. Safe from any thread.
using Authorize =
    std::function<Result<std::vector<std::string>>(const S3Call& call, std::string_view region)>;

std::unique_ptr<Dialect> make_s3_dialect(S3Settings settings, Authorize authorize);

// "s3://bucket/key/with/slashes".
struct BucketAndKey {
  std::string_view bucket;
  std::string_view key;
};
Result<BucketAndKey> split_bucket(std::string_view path, std::string_view scheme);

}  // namespace penstock::storage
