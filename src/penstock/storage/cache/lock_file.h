// Locks between processes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "penstock/base/result.h"

namespace penstock::storage {

enum class LockKind : std::uint8_t { kShared, kExclusive };

// A file whose bytes can be locked one by one. The kernel gives a process's locks back when it
// ends, however it ends. Threads of a process that share a LockFile do not shut each other out. On
// a file system without locks every lock succeeds: each process then works as if it were alone.
class LockFile {
 public:
  // Makes the file if there is none. Statuses do not name the path.
  static Result<LockFile> open(const std::string& path);
  // Takes over an open file.
  explicit LockFile(int fd) : fd_(fd) {}
  LockFile(LockFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile();

  int fd() const { return fd_; }

  // False if another process has it. A lock that is held already becomes one of this kind.
  bool try_lock(std::uint64_t byte, LockKind kind) const;
  void lock(std::uint64_t byte, LockKind kind) const;
  void unlock(std::uint64_t byte) const;

 private:
  int fd_;
};

}  // namespace penstock::storage
