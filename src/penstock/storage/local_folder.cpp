// Reads one folder of the local file system: one open, then one stat for each file in it.
#include "penstock/storage/local_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace penstock::storage {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseFolder>;

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Status folder_error(std::string_view folder, int error) {
  if (error == ENOENT) return not_found("no folder at ", folder);
  if (error == ENOTDIR) return not_found(folder, " is not a folder");
  return io_error(folder, ": ", std::generic_category().message(error));
}

std::string as_folder_path(std::string_view folder) {
  return folder.empty() ? std::string(".") : std::string(folder);
}

bool is_dot_or_dot_dot(std::string_view name) { return name == "." || name == ".."; }

std::string joined(std::string_view folder, std::string_view name) {
  const bool has_slash = folder.empty() || folder.ends_with('/');
  return concat(folder, has_slash ? "" : "/", name);
}

// The folder entry's own type saves the stat of a folder; a file needs it for its size.
void add_entry(FolderListing& listing, std::string_view folder, int fd, const dirent& entry) {
  if (entry.d_type == DT_DIR) {
    listing.folders.push_back(joined(folder, entry.d_name));
    return;
  }
  struct stat info;
  if (fstatat(fd, entry.d_name, &info, 0) != 0) return;  // removed meanwhile, or a dangling link
  if (S_ISDIR(info.st_mode)) {
    listing.folders.push_back(joined(folder, entry.d_name));
  } else if (S_ISREG(info.st_mode)) {
    listing.objects.push_back({joined(folder, entry.d_name),
                               static_cast<std::uint64_t>(info.st_size),
                               nanoseconds(info.st_mtim)});
  }
}

}  // namespace

Result<FolderListing> list_local_folder(std::string_view folder) {
  const OpenFolder open_folder(opendir(as_folder_path(folder).c_str()));
  if (!open_folder) return folder_error(folder, errno);
  const int fd = dirfd(open_folder.get());

  FolderListing listing;
  struct stat info;
  if (fstat(fd, &info) != 0) return folder_error(folder, errno);
  listing.modified_ns = nanoseconds(info.st_mtim);
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(open_folder.get());
    if (entry == nullptr) break;
    if (!is_dot_or_dot_dot(entry->d_name)) add_entry(listing, folder, fd, *entry);
  }
  if (errno != 0) return folder_error(folder, errno);
  std::ranges::sort(listing.objects, {}, &ObjectInfo::path);
  std::ranges::sort(listing.folders);
  return listing;
}

Result<std::int64_t> local_folder_modified_ns(std::string_view folder) {
  struct stat info;
  if (stat(as_folder_path(folder).c_str(), &info) != 0) return folder_error(folder, errno);
  if (!S_ISDIR(info.st_mode)) return folder_error(folder, ENOTDIR);
  return nanoseconds(info.st_mtim);
}

}  // namespace penstock::storage
