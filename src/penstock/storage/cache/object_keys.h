// Which objects were seen, and by which key a cache knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

#include "penstock/storage/storage.h"

namespace penstock::storage {

struct KnownObject {
  std::uint64_t size_bytes = 0;
  std::uint64_t key = 0;  // 0: it must not be kept, nothing would tell it from a later one
};

// Safe from any thread. 24 bytes an object, and what a hash map adds.
class ObjectKeys {
 public:
  // As stat() told.
  KnownObject add(const ObjectInfo& info);
  // As a listing told: one that tells no version and no time is passed over, stat() may tell more.
  void add_listed(const ObjectInfo& info);
  void forget(std::string_view path);

  std::optional<KnownObject> find(std::string_view path) const;

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::uint64_t, KnownObject> objects_;  // by the hash of the path
};

}  // namespace penstock::storage
