// A number written as text, as label files hold it.
#pragma once

#include <cstdint>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::decode {

// A whole number in decimal, with blanks or line ends around it: "17\n".
Result<std::int64_t> decode_integer(Bytes bytes);

// The same of a real number: "0.25", "-1e-3", "17", "inf", "nan".
Result<double> decode_real(Bytes bytes);

}  // namespace penstock::decode
