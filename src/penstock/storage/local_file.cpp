// Opens and reads local files, and puts errno into words.
#include "penstock/storage/local_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <system_error>

#include "penstock/storage/read_range.h"

namespace penstock::storage {

Status file_error(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return not_found("no such file");
    case EISDIR:
      return not_found("a folder, expected a file");
    case EACCES:
    case EPERM:
      return io_error("permission denied");
    case EMFILE:
      return resource_exhausted("too many open files in this process, see ulimit -n");
    case ENFILE:
      return resource_exhausted("too many open files on this machine");
    case ENOMEM:
      return resource_exhausted("out of memory");
    case ENXIO:
    case ESPIPE:
      return unsupported("not a regular file");
    default:
      break;
  }
  std::string message = std::generic_category().message(error);
  message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  return io_error(message);
}

Result<LocalFile> LocalFile::open(const std::string& path) {
  for (;;) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0) return LocalFile(fd);
    if (errno != EINTR) return file_error(errno);
  }
}

Status LocalFile::read(std::uint64_t offset, MutableBytes out) const {
  if (!is_file_range(offset, out.size())) return too_short(offset, out.size());
  std::size_t done = 0;
  do {
    const ssize_t part =
        pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return file_error(errno);
    if (part == 0 && !out.empty()) return too_short(offset, out.size());
    done += static_cast<std::size_t>(part);
  } while (done < out.size());
  return {};
}

Status LocalFile::too_short(std::uint64_t offset, std::uint64_t size) const {
  struct stat info;
  if (fstat(fd_, &info) != 0) return file_error(errno);
  return ends_early(static_cast<std::uint64_t>(info.st_size), offset, size);
}

void LocalFile::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace penstock::storage
