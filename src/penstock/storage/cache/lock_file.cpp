// Open file description locks of Linux: unlike those of POSIX they belong to the open file, so that
// a library that opens and closes the same file takes nothing away.
#include "penstock/storage/cache/lock_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "penstock/storage/local_file.h"

namespace penstock::storage {
namespace {

// What fcntl returns.
int set_lock(int fd, int command, short type, std::uint64_t byte) {
  struct flock range{};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(byte);
  range.l_len = 1;
  return fcntl(fd, command, &range);
}

short type_of(LockKind kind) { return kind == LockKind::kShared ? F_RDLCK : F_WRLCK; }

}  // namespace

Result<LockFile> LockFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return file_error(errno);
  return LockFile(fd);
}

LockFile::~LockFile() {
  if (fd_ >= 0) close(fd_);
}

bool LockFile::try_lock(std::uint64_t byte, LockKind kind) const {
  if (set_lock(fd_, F_OFD_SETLK, type_of(kind), byte) == 0) return true;
  return errno != EAGAIN && errno != EACCES;
}

void LockFile::lock(std::uint64_t byte, LockKind kind) const {
  while (set_lock(fd_, F_OFD_SETLKW, type_of(kind), byte) != 0 && errno == EINTR) {
  }
}

void LockFile::unlock(std::uint64_t byte) const { set_lock(fd_, F_OFD_SETLK, F_UNLCK, byte); }

}  // namespace penstock::storage
