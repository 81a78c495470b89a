// WebP by libwebp.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

// Decodes request.region, and up to two pixels more on each side, into scratch.pixels. Transparency
// is dropped (not blended). Of an animation the first frame, on a black canvas. min_eighths has no
// effect, the answer has all pixels.
//
// kCorrupt if the file is damaged up to the region's last row, or cut anywhere.
Result<ImagePart> decode_webp(const EncodedImage& image, const ImageRequest& request,
                              const DecodeOptions& options, DecodeScratch& scratch);

// About how much memory that takes.
std::size_t webp_memory_bytes(const ImageHeader& header, const ImageRequest& request, int channels);

}  // namespace penstock::decode
