// Numbers of one type to another.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::decode {

// Whether convert_numbers() knows the way: the same type, whole numbers to any type of 32 or 64
// bits or to u8, and f32 and f64 to each other.
bool can_convert(DType from, DType to);

// `in` and `out` hold equally many numbers; `in` need not be aligned. A whole number that `to`
// cannot hold is kCorrupt, naming it and its place. Floats are rounded.
Status convert_numbers(DType from, Bytes in, DType to, MutableBytes out);

}  // namespace penstock::decode
