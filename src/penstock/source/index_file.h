// Where an index and entry points are kept: in a folder .penstock beside the data, or, where that
// cannot be written, in the user's cache folder.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/storage/storage.h"

namespace penstock::source {

// The whole object.
Result<std::vector<std::byte>> read_object(const storage::Storage& storage, std::string_view path);

// Whole objects, at once where each takes long; nothing for those that cannot be read.
std::vector<std::optional<std::vector<std::byte>>> read_objects(const storage::Storage& storage,
                                                                std::span<const std::string> paths);

struct IndexPlaces {
  std::string beside;
  std::string cached;  // empty: nowhere
};

// For the shard or folder of images called `name` in `folder`. Not in the folder of images itself:
// other programs would take .penstock for a class there.
IndexPlaces index_places(std::string_view folder, std::string_view name,
                         std::string_view cache_folder);

// The folders for entry points of images below the folder called `name` in `folder`, or, if `name`
// is empty, of those in the shards that lie in `folder`.
IndexPlaces entry_point_places(std::string_view folder, std::string_view name,
                               std::string_view cache_folder);

// Writes to the first place that can be written. None is no failure: the index is made again.
void save_index(const storage::Storage& storage, const IndexPlaces& places, Bytes bytes);

// The first index that `decode` accepts and `is_current` believes.
template <class Decode, class IsCurrent>
auto load_index(const storage::Storage& storage, const IndexPlaces& places, Decode decode,
                IsCurrent is_current) -> std::optional<std::decay_t<decltype(*decode(Bytes{}))>> {
  for (const std::string& place : {places.beside, places.cached}) {
    if (place.empty()) continue;
    const auto bytes = read_object(storage, place);
    if (!bytes.ok()) continue;
    auto index = decode(*bytes);
    if (index.ok() && is_current(*index)) return *std::move(index);
  }
  return std::nullopt;
}

}  // namespace penstock::source
