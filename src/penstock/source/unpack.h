// Compressed shards cannot be read from the middle, so they are unpacked once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/format/decompress.h"
#include "penstock/storage/storage.h"

namespace penstock::source {

// How shards of one format tell whether they are compressed, and what they are without.
struct Packing {
  std::string_view ending;          // of the names of unpacked copies: ".tar"
  std::size_t num_first_bytes = 0;  // that compression_of wants; a shard may have fewer
  format::Compression (*compression_of)(Bytes first_bytes) = nullptr;
};

struct PlainShard {
  storage::ObjectInfo object;
  std::string damage;  // why the copy ends before the shard does; empty if it does not
};

// How each of the shards is compressed, by its first bytes. Statuses name the shard.
Result<std::vector<format::Compression>> compressions_of(
    const storage::Storage& storage, std::span<const storage::ObjectInfo> shards,
    const Packing& packing);

// The plain shard behind `shard`: itself, or, if it is compressed, a copy
// below `cache_folder` that is made unless it is there. The copy's name holds a hash of the shard's
// path, size and time. Of a shard that breaks in the middle the copy holds what stands before, and
// beside it lies `<copy>.damage`, which says why. `progress` hears how many of the shard's bytes
// are unpacked.
Result<PlainShard> plain_shard(const storage::Storage& storage, const storage::ObjectInfo& shard,
                               format::Compression compression, std::string_view ending,
                               std::string_view cache_folder,
                               const std::function<void(std::uint64_t)>& progress);

}  // namespace penstock::source
