// Pixels to PNG: for converted datasets, demonstrations and tests.
#pragma once

#include <cstddef>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::decode {

// One IDAT chunk. kInvalidArgument for an image that is empty or has neither 1 nor 3 channels,
// kUnsupported for one of 2 GiB of RGB or more.
Result<std::vector<std::byte>> encode_png(const ImageView& image);

}  // namespace penstock::decode
