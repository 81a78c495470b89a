// What the chunks of a PNG say about the image.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

bool is_png(Bytes bytes);

// The size from IHDR, the orientation from an eXIf chunk, if there is one, and the memory of all
// rows, filtered as they are. Does not compare checksums.
Result<ImageHeader> read_png_header(Bytes bytes);

}  // namespace penstock::decode
