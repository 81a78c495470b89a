// Keys of objects.
#include "penstock/storage/cache/object_keys.h"

#include <mutex>

#include "penstock/base/hash.h"

namespace penstock::storage {
namespace {

// A version says all; beside it the time is left out, because a listing may tell it more exactly
// than stat() does. Alone it counts in whole seconds for the same reason.
std::uint64_t key_of(const ObjectInfo& info) {
  if (info.version == 0 && info.modified_ns == 0) return 0;
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::uint64_t object = combine_hash(hash_text(info.path), info.size_bytes);
  const std::uint64_t state =
      info.version != 0 ? combine_hash(1, info.version)
                        : combine_hash(2, static_cast<std::uint64_t>(info.modified_ns / kSecond));
  const std::uint64_t key = combine_hash(object, state);
  return key == 0 ? 1 : key;
}

}  // namespace

KnownObject ObjectKeys::add(const ObjectInfo& info) {
  const KnownObject object{info.size_bytes, key_of(info)};
  const std::unique_lock lock(mutex_);
  objects_.insert_or_assign(hash_text(info.path), object);
  return object;
}

void ObjectKeys::add_listed(const ObjectInfo& info) {
  if (key_of(info) == 0) {
    forget(info.path);
  } else {
    add(info);
  }
}

void ObjectKeys::forget(std::string_view path) {
  const std::unique_lock lock(mutex_);
  objects_.erase(hash_text(path));
}

std::optional<KnownObject> ObjectKeys::find(std::string_view path) const {
  const std::uint64_t name = hash_text(path);
  const std::shared_lock lock(mutex_);
  const auto at = objects_.find(name);
  if (at == objects_.end()) return std::nullopt;
  return at->second;
}

}  // namespace penstock::storage
