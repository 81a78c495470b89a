// Streaming compression, for shards that are written compressed.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/format/decompress.h"

namespace penstock::format {

// Not thread-safe. Of no use after a failure or finish().
class Compressor {
 public:
  virtual ~Compressor() = default;

  // Adds what is compressed so far to `out`.
  virtual Status append(Bytes in, std::vector<std::byte>& out) = 0;
  // Adds the rest.
  virtual Status finish(std::vector<std::byte>& out) = 0;
};

// kUnsupported for anything but kGzip and kZlib, kResourceExhausted if there is no memory.
Result<std::unique_ptr<Compressor>> make_compressor(Compression compression);

}  // namespace penstock::format
