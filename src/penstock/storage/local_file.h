// One open file of the local file system, for reading ranges.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::storage {

// What errno says, for a person: "no such file", "permission denied".
Status file_error(int error);

// Closes itself. Reading is safe from any thread. Statuses do not name the path.
class LocalFile {
 public:
  static Result<LocalFile> open(const std::string& path);

  LocalFile(LocalFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  LocalFile& operator=(LocalFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~LocalFile() { close(); }

  int fd() const { return fd_; }

  // Fills `out` from `offset` on, or fails with kCorrupt if the file ends before.
  Status read(std::uint64_t offset, MutableBytes out) const;

  void close();

 private:
  explicit LocalFile(int fd) : fd_(fd) {}

  // The failure of a read of `size` bytes at `offset` that the file is too short for.
  Status too_short(std::uint64_t offset, std::uint64_t size) const;

  int fd_ = -1;
};

}  // namespace penstock::storage
