// Where bytes live. A backend keeps no cursor, is safe to call from any thread, and lists in path
// order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
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
  std::uint64_t version = 0;     // hash of what the server calls it (ETag); 0 if unknown
};

// Fill `out` with the bytes of `path` from `offset` on. Fewer bytes than that is kCorrupt, saying
// how many there were.
struct ReadRequest {
  std::string_view path;
  std::uint64_t offset = 0;
  MutableBytes out;
  Status status;
};

// What lies directly in one folder. Paths are those of `folder`, a slash and a name.
struct FolderListing {
  std::vector<ObjectInfo> objects;   // in path order
  std::vector<std::string> folders;  // their paths, in path order
  std::int64_t modified_ns = 0;      // as folder_modified_ns() answered before the folder was read
};

// An object being written piece by piece. It appears at its path, whole, with commit(); without a
// commit() nothing remains of it. Not thread-safe.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;

  virtual Status append(Bytes bytes) = 0;
  // The last call.
  virtual Status commit() = 0;
};

// Statuses name the path that they are about, except in read().
class Storage {
 public:
  virtual ~Storage() = default;

  // Answers every request, each with its own status, and returns when all are answered. A backend
  // may reorder, merge or overlap them. Statuses do not name the path: the caller does. `stop`
  // makes those that are not answered yet kCancelled, where that can take long.
  virtual void read(std::span<ReadRequest> requests, const std::stop_token& stop) const = 0;
  void read(std::span<ReadRequest> requests) const { read(requests, std::stop_token()); }

  // Whether reading takes long, whatever the size, so that many reads should be under way at once.
  virtual bool is_remote(std::string_view) const { return false; }

  virtual Result<ObjectInfo> stat(std::string_view path) const = 0;
  // Of each path, in their order; at once where each takes long.
  virtual std::vector<Result<ObjectInfo>> stat_all(std::span<const std::string> paths) const;

  // Every object below `folder`, however deep, in path order (bytewise). Fails with kNotFound if
  // there is no such folder.
  virtual Result<std::vector<ObjectInfo>> list(std::string_view folder) const = 0;

  // One level of list(). An empty `folder` is where paths begin. Made from list() where a backend
  // has nothing better. Fails with kNotFound if there is no such folder.
  virtual Result<FolderListing> list_folder(std::string_view folder) const;

  // When something was last added to, removed from or renamed in `folder` itself, since 1970; what
  // happens in the folders below it, or to the bytes of an object, does not count. 0 if the backend
  // cannot tell without listing. Fails with kNotFound if there is no such folder.
  virtual Result<std::int64_t> folder_modified_ns(std::string_view folder) const;

  // Makes or replaces the object, and the folders it lies in. Readers see the old bytes or all the
  // new ones, never a part.
  virtual Status write(std::string_view path, Bytes bytes) const = 0;

  // The same for an object too large for memory. kUnsupported if the backend cannot.
  virtual Result<std::unique_ptr<ObjectWriter>> create(std::string_view path) const;

  // Takes the object away; kNotFound if it is not there. kUnsupported if the backend cannot.
  virtual Status remove(std::string_view path) const;
};

enum class LocalIo : std::uint8_t {
  kAuto,   // io_uring where the kernel allows it
  kPread,  // one system call a request
};

std::unique_ptr<Storage> make_local_storage(LocalIo io = LocalIo::kAuto);
std::unique_ptr<Storage> make_pipe_storage();
std::unique_ptr<Storage> make_memory_storage(
    std::map<std::string, std::string, std::less<>> objects);

}  // namespace penstock::storage
