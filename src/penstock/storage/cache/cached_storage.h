// Remote objects, kept on a local disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "penstock/storage/cache/cache_stats.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {

// What one read() holds at most, besides the memory that its caller gave.
inline constexpr std::size_t kCachedReadBytes = 16 << 20;

struct CacheOptions {
  std::string folder;  // made if it is not there; processes may share it
  // What the folder may hold. Nothing is thrown out for something else: of a data set that is
  // larger the same part is found in every epoch.
  std::uint64_t max_bytes = 0;
  std::shared_ptr<CacheCounters> counters;  // may be null
};

// Everything goes to `inner`, but that what is read of its remote objects is kept in the folder, in
// blocks of 1 MiB with hashes, and read from there the next time. An object that is replaced is
// another one as soon as stat() or a listing shows it. Objects whose server tells neither a version
// nor a time are not kept. A folder that cannot be used or written to is no failure: reads go to
// `inner`, and the counters say why.
std::unique_ptr<Storage> make_cached_storage(std::unique_ptr<Storage> inner,
                                             const CacheOptions& options);

}  // namespace penstock::storage
