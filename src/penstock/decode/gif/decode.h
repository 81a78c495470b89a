// The first frame of GIF files, by giflib.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

// Decodes the first frame, and gives request.region of the canvas in scratch.pixels. Transparency
// is dropped (not blended). Where the frame does not reach, the canvas has the frame's transparent
// colour or, without one, the first of the palette. min_eighths has no effect, the answer has
// all pixels.
//
// kCorrupt if the frame is damaged up to the region's last row or cut anywhere, or a pixel of the
// region has no colour in the palette.
Result<ImagePart> decode_gif(const EncodedImage& image, const ImageRequest& request,
                             const DecodeOptions& options, DecodeScratch& scratch);

// About how much memory that takes.
std::size_t gif_memory_bytes(const ImageHeader& header, const ImageRequest& request, int channels);

}  // namespace penstock::decode
