// A store in a folder of its own, and looking into it. Included by tests only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/deliver/entry_point_store.h"
#include "penstock/source/testing.h"

namespace penstock::deliver {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

inline Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// A store over <folder>/beside and <folder>/cache.
struct Kept {
  source::TemporaryFolder folder;
  source::CountingStorage storage{storage::make_local_storage(storage::LocalIo::kPread)};

  std::unique_ptr<EntryPointStore> open(const EntryPointOptions& options = {.num_images = 1000},
                                        std::uint64_t limit_bytes = 64 * kMiB) const {
    auto store = std::make_unique<EntryPointStore>(
        std::vector<EntryPointFolder>{{&storage, {folder.path("beside"), folder.path("cache")}}},
        options);
    store->load(limit_bytes);
    return store;
  }

  std::vector<std::string> files(std::string_view inner) const {
    std::vector<std::string> paths;
    std::error_code missing;
    for (const auto& file : std::filesystem::directory_iterator(folder.path(inner), missing)) {
      paths.push_back(file.path().native());
    }
    std::ranges::sort(paths);
    return paths;
  }
};

// What the store has for a key, read from its file; "" if nothing.
inline std::string content(const EntryPointStore& store, std::uint64_t hash) {
  const auto found = store.find(hash);
  if (!found) return {};
  std::vector<std::byte> stored(found->size_bytes);
  storage::ReadRequest request{.path = found->path, .offset = found->offset, .out = stored};
  found->storage->read({&request, 1});
  if (!request.status.ok()) return concat("unread: ", request.status.message());
  const auto bytes = source::checked_entry_points(stored);
  if (!bytes.ok()) return std::string(bytes.status().message());
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

inline void learn(EntryPointStore& store, std::uint64_t hash, std::string_view text) {
  store.learn({hash, 0}, bytes_of(text));
}

}  // namespace penstock::deliver
