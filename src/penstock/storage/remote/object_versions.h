// Which version of each object was seen, so that a changed one is noticed.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "penstock/base/result.h"
#include "penstock/storage/http/exchange.h"

namespace penstock::storage {

// What the server calls the version of an object: its ETag, or its checksum. Empty if it says
// neither.
std::string_view content_version(const HttpResponse& response);

// The same, or else when it was last modified.
std::string_view version_text(const HttpResponse& response);

// Safe from any thread. Sixteen bytes an object, and what a hash map adds.
class ObjectVersions {
 public:
  // The first version of an object is remembered; kCorrupt if this is another one. An empty text
  // says nothing.
  Status check(std::string_view path, std::string_view version);

  // Remembers this one from now on: the object was looked at anew, or written.
  void renew(std::string_view path, std::string_view version);

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> versions_;  // hash of path: hash of version
};

}  // namespace penstock::storage
