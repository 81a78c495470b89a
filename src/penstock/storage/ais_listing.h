// A page of the listing of a bucket, as AIStore's gateway answers.
#pragma once

#include <optional>
#include <string_view>

#include "penstock/base/result.h"
#include "penstock/storage/remote/dialect.h"

namespace penstock::storage {

// Paths begin with `root` ("ais://bucket/"). With a `folder` ("a/b/", or "" for the bucket) what
// lies deeper than directly in it is listed by its folder. Fails with kCorrupt.
Result<ListPage> parse_ais_listing(std::string_view text, std::string_view root,
                                   std::optional<std::string_view> folder);

}  // namespace penstock::storage
