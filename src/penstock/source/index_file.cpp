// Reads and writes index files through a Storage.
#include "penstock/source/index_file.h"

#include <array>
#include <span>

#include "penstock/base/hash.h"
#include "penstock/source/path.h"

namespace penstock::source {
namespace {

// Larger than any table or index that makes sense; keeps a foreign file from filling the memory.
constexpr std::uint64_t kMaxObjectBytes = std::uint64_t{4} << 30;

// "" stays "".
std::string join_inner(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string() : join_path(folder, name);
}

// What is called `name` beside the data in `folder`; in the cache folder, where things of many
// folders lie, a hash of its path stands before the name.
IndexPlaces places_of(std::string_view folder, std::string_view name,
                      std::string_view cache_folder) {
  IndexPlaces places;
  places.beside = join_path(join_path(folder, ".penstock"), name);
  if (!cache_folder.empty()) {
    const std::string unique = hexadecimal(hash_text(places.beside));
    places.cached = join_path(cache_folder, concat(unique, "-", name));
  }
  return places;
}

}  // namespace

Result<std::vector<std::byte>> read_object(const storage::Storage& storage, std::string_view path) {
  PENSTOCK_TRY_ASSIGN(const storage::ObjectInfo object, storage.stat(path));
  if (object.size_bytes > kMaxObjectBytes) {
    return unsupported(path, ": ", object.size_bytes, " bytes, expected at most ", kMaxObjectBytes);
  }
  std::vector<std::byte> bytes(object.size_bytes);
  std::array requests = {storage::ReadRequest{.path = path, .out = bytes}};
  storage.read(requests);
  PENSTOCK_TRY(requests[0].status.at(path));
  return bytes;
}

std::vector<std::optional<std::vector<std::byte>>> read_objects(
    const storage::Storage& storage, std::span<const std::string> paths) {
  std::vector<std::optional<std::vector<std::byte>>> found(paths.size());
  std::vector<storage::ReadRequest> requests;
  std::vector<std::size_t> asked;
  const auto objects = storage.stat_all(paths);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!objects[i].ok() || objects[i]->size_bytes > kMaxObjectBytes) continue;
    found[i].emplace(objects[i]->size_bytes);
    requests.push_back({.path = paths[i], .out = *found[i]});
    asked.push_back(i);
  }
  storage.read(requests);
  for (std::size_t k = 0; k < asked.size(); ++k) {
    if (!requests[k].status.ok()) found[asked[k]].reset();
  }
  return found;
}

IndexPlaces index_places(std::string_view folder, std::string_view name,
                         std::string_view cache_folder) {
  return places_of(folder, concat(name, ".index"), join_inner(cache_folder, "index"));
}

IndexPlaces entry_point_places(std::string_view folder, std::string_view name,
                               std::string_view cache_folder) {
  const std::string own = name.empty() ? "entry-points" : concat(name, ".entry-points");
  return places_of(folder, own, join_inner(cache_folder, "entry-points"));
}

void save_index(const storage::Storage& storage, const IndexPlaces& places, Bytes bytes) {
  // Into somebody's bucket nothing is written that was not asked for.
  const bool may_lie_beside = !places.beside.empty() && !storage.is_remote(places.beside);
  const bool is_beside = may_lie_beside && storage.write(places.beside, bytes).ok();
  if (is_beside || places.cached.empty()) return;
  // An index that cannot be kept costs time at the next start, nothing else.
  (void)storage.write(places.cached, bytes);
}

}  // namespace penstock::source
