// One call of read(), through a cache.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "penstock/storage/cache/block_reader.h"
#include "penstock/storage/cache/block_store.h"
#include "penstock/storage/cache/cache_stats.h"
#include "penstock/storage/cache/object_keys.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {

// What reads share; outlives them.
struct CacheParts {
  const Storage& inner;
  BlockStore& store;
  const BlockReader& reader;
  ObjectKeys& keys;
  CacheCounters& counters;
};

// A request for bytes that exist, of an object that may be kept.
struct CacheRequest {
  ReadRequest* request = nullptr;
  KnownObject object;
};

// Answers all of them: from block files, and with whole blocks fetched from `inner` that become
// files. A block that somebody else is fetching is waited for.
void read_through(const CacheParts& parts, std::span<const CacheRequest> requests,
                  const std::stop_token& stop);

}  // namespace penstock::storage
