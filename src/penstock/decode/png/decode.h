// PNG by libspng.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

// Decodes the rows of request.region, in their whole width, into scratch.pixels. Every kind of PNG
// becomes 8 bits a channel: of 16 the high ones, palettes looked up, transparency dropped (not
// blended), gamma left alone. max_shrink has no effect, the answer's shrink is 1.
//
// kCorrupt if the file is damaged up to the region's last row, or cut anywhere. Rows below are not
// inflated unless the end is missing; the checksum of a chunk is compared when decoding goes past
// the chunk's end.
Result<ImagePart> decode_png(const EncodedImage& image, const ImageRequest& request,
                             const DecodeOptions& options, DecodeScratch& scratch);

// About how much memory that takes.
std::size_t png_memory_bytes(const ImageHeader& header, const ImageRequest& request, int channels);

}  // namespace penstock::decode
