// The run-length encoding of BMP files.
#pragma once

#include "penstock/base/result.h"
#include "penstock/decode/bmp/header.h"
#include "penstock/decode/scratch.h"

namespace penstock::decode {

// Decodes the palette indices of `region`, one byte each. Pixels that the encoding skips have index
// 0. Goes to the end of the image, whatever the region: kCorrupt if it ends early or runs beyond a
// row.
Status decode_bmp_rle(const BmpLayout& layout, const Rect& region, const MutableImage& indices);

}  // namespace penstock::decode
