// O_TMPFILE.
#include "penstock/storage/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>
#include <vector>

#include "penstock/storage/local_file.h"
#include "penstock/storage/read_range.h"

namespace penstock::storage {

Result<TemporaryFile> TemporaryFile::make() {
  const char* folder = std::getenv("TMPDIR");
  if (folder == nullptr) folder = "/tmp";
  const int number = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (number < 0) return file_error(errno).at(concat("temporary file in ", folder));
  return TemporaryFile(number);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : number_(std::exchange(other.number_, -1)), size_bytes_(other.size_bytes_) {}

TemporaryFile::~TemporaryFile() {
  if (number_ >= 0) close(number_);
}

Status TemporaryFile::append(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t num_written = ::write(number_, bytes.data(), bytes.size());
    if (num_written < 0 && errno == EINTR) continue;
    if (num_written < 0) return file_error(errno).at("temporary file");
    bytes = bytes.subspan(static_cast<std::size_t>(num_written));
    size_bytes_ += static_cast<std::uint64_t>(num_written);
  }
  return {};
}

Status TemporaryFile::append_all(int pipe) {
  constexpr std::size_t kBufferBytes = 1 << 20;
  std::vector<std::byte> buffer(kBufferBytes);
  while (true) {
    const ssize_t num_read = ::read(pipe, buffer.data(), buffer.size());
    if (num_read < 0 && errno == EINTR) continue;
    if (num_read < 0) return file_error(errno);
    if (num_read == 0) return {};
    PENSTOCK_TRY(append(Bytes(buffer).first(static_cast<std::size_t>(num_read))));
  }
}

Status TemporaryFile::read(std::uint64_t offset, MutableBytes out) const {
  if (offset > size_bytes_ || out.size() > size_bytes_ - offset) {
    return out.empty() ? Status() : ends_early(size_bytes_, offset, out.size());
  }
  while (!out.empty()) {
    const ssize_t num_read = pread(number_, out.data(), out.size(), static_cast<off_t>(offset));
    if (num_read < 0 && errno == EINTR) continue;
    if (num_read <= 0) return file_error(num_read < 0 ? errno : EIO).at("temporary file");
    out = out.subspan(static_cast<std::size_t>(num_read));
    offset += static_cast<std::uint64_t>(num_read);
  }
  return {};
}

}  // namespace penstock::storage
