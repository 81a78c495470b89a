// PNG: the pixels of a crop.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

// Decodes request.region, and nothing beyond it, into scratch.pixels. Every kind of PNG becomes 8
// bits a channel: of 16 the high ones, palettes looked up, transparency dropped (not blended),
// gamma left alone. min_eighths has no effect, the answer has all pixels.
//
// kCorrupt if the compressed data is damaged or short anywhere, if the file is cut anywhere, or if
// a row that the region depends on has no valid filter. Checksums (CRC-32, Adler-32) are compared
// only with options.checks_sums; without it, what follows the last row in the data is no flaw, and
// chunks that pixels do not depend on are not looked into. kUnsupported if the rows are 2 GiB or
// more.
Result<ImagePart> decode_png(const EncodedImage& image, const ImageRequest& request,
                             const DecodeOptions& options, DecodeScratch& scratch);

// About how much memory that takes: all rows of the image, and the pixels of the region.
std::size_t png_memory_bytes(const ImageHeader& header, const ImageRequest& request, int channels);

}  // namespace penstock::decode
