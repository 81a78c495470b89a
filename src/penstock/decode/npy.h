// Arrays as numpy.save writes them (.npy):
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::decode {

struct NpyArray {
  DType dtype = DType::kU8;  // numpy's bool is u8
  Shape shape;
  Bytes values;  // in C order, in the bytes that were parsed; maybe not aligned
};

// Versions 1, 2 and 3 of the format, little-endian, C order, element types u1 i4 i8 f2 f4 f8 and
// bool, up to four dimensions. Fails with kUnsupported for other arrays, and with kCorrupt, naming
// the byte.
Result<NpyArray> parse_npy(Bytes bytes);

}  // namespace penstock::decode
