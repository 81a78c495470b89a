// A page of the listing of a bucket, as S3 answers ListObjectsV2.
#pragma once

#include <string_view>

#include "penstock/base/result.h"
#include "penstock/storage/remote/dialect.h"

namespace penstock::storage {

// Paths begin with `root` ("s3://bucket/"); the empty object that stands for the folder `prefix` is
// left out. Fails with kCorrupt.
Result<ListPage> parse_s3_listing(std::string_view text, std::string_view root,
                                  std::string_view prefix);

}  // namespace penstock::storage
