// The rows of a PNG from its compressed data, all at once.
#pragma once

#include <cstddef>
#include <memory>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

struct libdeflate_decompressor;

namespace penstock::decode {

// Room that inflating needs behind the rows: for the largest piece that a block of compressed data
// writes at once. With it, data that goes on behind the last row leaves all rows complete.
inline constexpr std::size_t kInflateSlackBytes = std::size_t{64} * 1024 + 512;

// About what an Inflater holds.
inline constexpr std::size_t kInflaterBytes = std::size_t{12} * 1024;

// kCorrupt if that little compressed data cannot be that many bytes of rows. To be asked before
// memory is taken for them.
Status check_inflated_size(std::size_t compressed_bytes, std::size_t rows_bytes);

// Keeps the tables from image to image.
class Inflater {
 public:
  // Inflates a zlib stream into the first bytes of `room`, which has rows_bytes +
  // kInflateSlackBytes. kCorrupt if it is damaged or gives fewer than rows_bytes. More is no flaw,
  // nor is a missing or wrong Adler-32; but with `checks_sums` they are.
  Status inflate(Bytes compressed, MutableBytes room, std::size_t rows_bytes, bool checks_sums);

 private:
  struct Free {
    void operator()(libdeflate_decompressor* decompressor) const;
  };
  std::unique_ptr<libdeflate_decompressor, Free> decompressor_;
};

}  // namespace penstock::decode
