// Which version of each object was seen, so that a changed one is noticed.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "penstock/base/result.h"

namespace penstock::storage {

// Safe from any thread. Sixteen bytes an object, and what a hash map adds.
class ObjectVersions {
 public:
  // The first version of an object is remembered; kCorrupt if this is another one. An empty ETag
  // says nothing.
  Status check(std::string_view path, std::string_view etag);

  // Remembers this one from now on: the object was looked at anew, or written.
  void renew(std::string_view path, std::string_view etag);

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> versions_;  // hash of path: hash of ETag
};

}  // namespace penstock::storage
