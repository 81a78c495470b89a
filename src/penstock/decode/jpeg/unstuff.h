// The bytes of a scan without what marks them as bytes of a scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "penstock/base/array.h"

namespace penstock::decode {

// How a run of entropy-coded bytes was read.
struct Unstuffed {
  std::size_t num_read = 0;  // up to a marker or the end of the bytes
  std::size_t num_written = 0;
};

// Copies entropy-coded bytes up to the first marker and leaves out the zero behind each 0xff (T.81,
// F.1.2.3). `out` has room for as many bytes as there are, and kUnstuffSlack more. Where each 0xff
// lies in `out` is added to `stuffed`.
inline constexpr std::size_t kUnstuffSlack = 64;
Unstuffed unstuff(Bytes bytes, std::uint8_t* out, std::vector<std::uint32_t>& stuffed);

}  // namespace penstock::decode
