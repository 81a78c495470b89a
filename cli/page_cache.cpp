// Files of a source in the page cache.
#include "page_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "clock.h"
#include "penstock/storage/local_file.h"

namespace penstock::cli {
namespace {

constexpr std::uint64_t kMostFiles = 100'000;  // of a large folder the first ones do

std::vector<std::string> local_files(const source::Source& source) {
  std::vector<std::string> paths;
  for (std::uint32_t object = 0; object < source.num_objects(); ++object) {
    const storage::Storage* storage = source.storage(object);
    const std::string path(source.object_path(object));
    if (storage == nullptr || storage->is_remote(path)) continue;
    paths.push_back(path);
    if (paths.size() == kMostFiles) break;
  }
  return paths;
}

Status evict(const storage::LocalFile& file) {
  // Pages that are not written yet cannot be forgotten.
  ::fdatasync(file.fd());
  const int error = ::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_DONTNEED);
  return error == 0 ? Status{} : storage::file_error(error);
}

}  // namespace

// What cannot be opened is no file: a pipe, memory.
Result<std::uint64_t> evict_files(const source::Source& source) {
  std::uint64_t num_files = 0;
  for (const std::string& path : local_files(source)) {
    const auto file = storage::LocalFile::open(path);
    if (!file.ok()) continue;
    PENSTOCK_TRY(evict(*file).at(path));
    ++num_files;
  }
  return num_files;
}

Result<double> measure_cold_read(const source::Source& source, double seconds) {
  PENSTOCK_TRY_ASSIGN(const std::uint64_t num_files, evict_files(source));
  if (num_files == 0) return unsupported("no local files to read");
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  std::uint64_t num_bytes = 0;
  const auto began = Clock::now();
  for (const std::string& path : local_files(source)) {
    const auto file = storage::LocalFile::open(path);
    if (!file.ok()) continue;
    ssize_t count = 0;
    while ((count = ::read(file->fd(), buffer.data(), buffer.size())) > 0) {
      num_bytes += static_cast<std::uint64_t>(count);
      if (seconds_since(began) >= seconds) break;
    }
    if (seconds_since(began) >= seconds) break;
  }
  return static_cast<double>(num_bytes) / std::max(1e-9, seconds_since(began));
}

}  // namespace penstock::cli
