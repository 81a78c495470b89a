// Streaming decompression with bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::format {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd, kZlib };

// "none", "gzip", "zstd", "zlib".
std::string_view compression_name(Compression compression);

// By the magic number; four bytes are enough. zlib has none that could be trusted.
Compression compression_of(Bytes first_bytes);
// By the ending: .gz and .tgz, .zst and .tzst, in upper or lower case.
Compression compression_of_name(std::string_view name);

struct Progress {
  std::size_t consumed = 0;  // bytes of `in`
  std::size_t produced = 0;  // bytes of `out`
  bool is_finished = false;  // a whole number of members, streams or frames has come out
};

// Several gzip members, zlib streams or zstd frames one after the other come out as one stream. Not
// thread-safe.
class Decompressor {
 public:
  virtual ~Decompressor() = default;

  // Goes on until `in` is used up or `out` is full. Output may be left inside when `out` is full,
  // so the input is done only when a call with an empty `in` does not fill `out`. Fails with
  // kCorrupt, naming the byte of the compressed stream, and with kUnsupported if a zstd frame wants
  // a window above 128 MiB. What came out before that is delivered first: the call that finds the
  // failure succeeds if it produced anything, and every call after it fails.
  virtual Result<Progress> run(Bytes in, MutableBytes out) = 0;

  // To be called behind the last input: kCorrupt if the stream was cut.
  virtual Status finish() const = 0;
};

// kInvalidArgument for Compression::kNone, kResourceExhausted if there is no memory.
Result<std::unique_ptr<Decompressor>> make_decompressor(Compression compression);

}  // namespace penstock::format
