// Compressed shards cannot be read from the middle, so they are unpacked once.
#pragma once

#include <functional>
#include <string_view>

#include "penstock/base/result.h"
#include "penstock/storage/storage.h"

namespace penstock::source {

// The plain tar behind `shard`: itself, or, if its first bytes are those of gzip or zstd, a copy
// below `cache_folder` that is made unless it is there. The copy's name holds a hash of the shard's
// path, size and time. `progress` hears how many of the shard's bytes are unpacked.
Result<storage::ObjectInfo> plain_shard(const storage::Storage& storage,
                                        const storage::ObjectInfo& shard,
                                        std::string_view cache_folder,
                                        const std::function<void(std::uint64_t)>& progress);

}  // namespace penstock::source
