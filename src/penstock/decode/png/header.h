// What the chunks of a PNG say about the image.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

bool is_png(Bytes bytes);

// The size from IHDR and the orientation from an eXIf chunk, if there is one. Does not check CRCs.
Result<ImageHeader> read_png_header(Bytes bytes);

}  // namespace penstock::decode
