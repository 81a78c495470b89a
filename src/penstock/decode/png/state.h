// What PNG decoding keeps from image to image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "penstock/decode/png/inflate.h"

namespace penstock::decode {

// Memory that only grows and is not initialised.
class PngBuffer {
 public:
  // Contents are lost.
  std::uint8_t* prepare(std::size_t size_bytes) {
    if (size_bytes > size_bytes_) {
      memory_.reset();
      size_bytes_ = 0;
      memory_ = std::make_unique_for_overwrite<std::uint8_t[]>(size_bytes);
      size_bytes_ = size_bytes;
    }
    return memory_.get();
  }

  std::size_t size_bytes() const { return size_bytes_; }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  std::size_t size_bytes_ = 0;
};

struct PngState {
  Inflater inflater;
  PngBuffer joined;  // IDAT chunks, put together
  PngBuffer rows;    // inflated, and unfiltered in place
  PngBuffer zeros;   // the row above the first one

  std::size_t size_bytes() const {
    return kInflaterBytes + joined.size_bytes() + rows.size_bytes() + zeros.size_bytes();
  }
};

}  // namespace penstock::decode
