// What every backend can do by means of the calls it must have.
#include "penstock/storage/storage.h"

#include <utility>

namespace penstock::storage {

std::vector<Result<ObjectInfo>> Storage::stat_all(std::span<const std::string> paths) const {
  std::vector<Result<ObjectInfo>> found;
  found.reserve(paths.size());
  for (const std::string& path : paths) found.push_back(stat(path));
  return found;
}

Result<FolderListing> Storage::list_folder(std::string_view folder) const {
  PENSTOCK_TRY_ASSIGN(std::vector<ObjectInfo> objects, list(folder));
  const bool has_slash = folder.empty() || folder.ends_with('/');
  const std::size_t begin = folder.size() + (has_slash ? 0 : 1);
  FolderListing listing;
  for (ObjectInfo& object : objects) {
    const std::size_t slash = object.path.find('/', begin);
    if (slash == std::string::npos) {
      listing.objects.push_back(std::move(object));
      continue;
    }
    // In path order everything of one folder stands together.
    const std::string_view inner = std::string_view(object.path).substr(0, slash);
    if (listing.folders.empty() || listing.folders.back() != inner) {
      listing.folders.emplace_back(inner);
    }
  }
  return listing;
}

Result<std::int64_t> Storage::folder_modified_ns(std::string_view) const { return 0; }

Result<std::unique_ptr<ObjectWriter>> Storage::create(std::string_view) const {
  return unsupported("this storage writes whole objects only");
}

Status Storage::remove(std::string_view) const {
  return unsupported("this storage removes no objects");
}

}  // namespace penstock::storage
