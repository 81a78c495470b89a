// BMP by hand; header.cpp says why.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

// Decodes request.region into scratch.pixels: 1, 4 and 8 bits with a palette, also run-length
// encoded, and 16, 24 and 32 bits, also with masks. Alpha is dropped (not blended). min_eighths has
// no effect, the answer has all pixels.
//
// kCorrupt if the file is cut anywhere, or a pixel of the region has no colour in the palette.
Result<ImagePart> decode_bmp(const EncodedImage& image, const ImageRequest& request,
                             const DecodeOptions& options, DecodeScratch& scratch);

// About how much memory that takes.
std::size_t bmp_memory_bytes(const ImageHeader& header, const ImageRequest& request, int channels);

}  // namespace penstock::decode
