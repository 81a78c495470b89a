// What the backends say about ranges of bytes.
#pragma once

#include <cstdint>
#include <limits>

#include "penstock/base/status.h"

namespace penstock::storage {

// The failure of a read of `size` bytes at `offset` from an object of `object_size` bytes.
inline Status ends_early(std::uint64_t object_size, std::uint64_t offset, std::uint64_t size) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t expected = size > kMax - offset ? kMax : offset + size;
  return corrupt("ends at byte ", object_size, ", expected ", expected);
}

// Whether the range can exist in a file at all; file offsets are signed.
inline bool is_file_range(std::uint64_t offset, std::uint64_t size) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  return offset <= kMax && size <= kMax - offset;
}

}  // namespace penstock::storage
