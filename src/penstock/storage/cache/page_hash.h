// Finds damage in what lies on a disk.
#pragma once

#include <cstdint>

#include "penstock/base/array.h"

namespace penstock::storage {

// 64 bits that any change of the bytes changes, but for a chance of 2^-64. For files that are read
// on the machine that wrote them: the order of bytes is the machine's. As fast as memory, which
// penstock::hash_bytes is not: it waits for each multiplication before the next.
std::uint64_t page_hash(Bytes bytes);

}  // namespace penstock::storage
