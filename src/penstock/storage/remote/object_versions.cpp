// ETags by path, both as hashes.
#include "penstock/storage/remote/object_versions.h"

#include "penstock/base/hash.h"

namespace penstock::storage {

Status ObjectVersions::check(std::string_view path, std::string_view etag) {
  if (etag.empty()) return {};
  const std::uint64_t version = hash_text(etag);
  const std::scoped_lock lock(mutex_);
  const auto [at, is_new] = versions_.try_emplace(hash_text(path), version);
  if (is_new || at->second == version) return {};
  return corrupt("changed while it was being read: its ETag is ", etag,
                 " now, expected that of the first read");
}

void ObjectVersions::renew(std::string_view path, std::string_view etag) {
  const std::scoped_lock lock(mutex_);
  if (etag.empty()) {
    versions_.erase(hash_text(path));
  } else {
    versions_[hash_text(path)] = hash_text(etag);
  }
}

}  // namespace penstock::storage
