// What the markers before a JPEG's first scan say.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

bool is_jpeg(Bytes bytes);

// Walks the markers up to the first scan (ITU-T T.81, annex B). Needs no more of the file than
// that.
Result<ImageHeader> read_jpeg_header(Bytes bytes);

}  // namespace penstock::decode
