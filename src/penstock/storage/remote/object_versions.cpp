// Versions by path, both as hashes.
#include "penstock/storage/remote/object_versions.h"

#include "penstock/base/hash.h"

namespace penstock::storage {

std::string_view content_version(const HttpResponse& response) {
  const std::string_view etag = response.header("etag");
  return etag.empty() ? response.header("ais-checksum-value") : etag;
}

std::string_view version_text(const HttpResponse& response) {
  const std::string_view version = content_version(response);
  return version.empty() ? response.header("last-modified") : version;
}

Status ObjectVersions::check(std::string_view path, std::string_view version) {
  if (version.empty()) return {};
  const std::uint64_t hash = hash_text(version);
  const std::scoped_lock lock(mutex_);
  const auto [at, is_new] = versions_.try_emplace(hash_text(path), hash);
  if (is_new || at->second == hash) return {};
  return corrupt("changed while it was being read: it is version ", version,
                 " now, expected that of the first read");
}

void ObjectVersions::renew(std::string_view path, std::string_view version) {
  const std::scoped_lock lock(mutex_);
  if (version.empty()) {
    versions_.erase(hash_text(path));
  } else {
    versions_[hash_text(path)] = hash_text(version);
  }
}

}  // namespace penstock::storage
