// Where bytes live. A backend keeps no cursor, is safe to call from any thread, and lists in path
// order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::storage {

struct ObjectInfo {
  std::string path;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  // since 1970; 0 if the backend has no times
};

// Fill `out` with the bytes of `path` from `offset` on. Fewer bytes than that is kCorrupt, saying
// how many there were.
struct ReadRequest {
  std::string_view path;
  std::uint64_t offset = 0;
  MutableBytes out;
  Status status;
};

class Storage {
 public:
  virtual ~Storage() = default;

  // Answers every request, each with its own status, and returns when all are answered. A backend
  // may reorder, merge or overlap them. Statuses do not name the path: the caller does.
  virtual void read(std::span<ReadRequest> requests) const = 0;

  virtual Result<ObjectInfo> stat(std::string_view path) const = 0;

  // Every object below `folder`, however deep, in path order (bytewise). Fails with kNotFound if
  // there is no such folder.
  virtual Result<std::vector<ObjectInfo>> list(std::string_view folder) const = 0;

  // Makes or replaces the object. Readers see the old bytes or all the new ones, never a part.
  virtual Status write(std::string_view path, Bytes bytes) const = 0;
};

enum class LocalIo : std::uint8_t {
  kAuto,   // io_uring where the kernel allows it
  kPread,  // one system call a request
};

std::unique_ptr<Storage> make_local_storage(LocalIo io = LocalIo::kAuto);
std::unique_ptr<Storage> make_memory_storage(
    std::map<std::string, std::string, std::less<>> objects);

}  // namespace penstock::storage
