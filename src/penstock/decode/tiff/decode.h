// The first page of TIFF files, by libtiff.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

// Decodes the strips or tiles of request.region, and gives it in scratch.pixels: gray, palette,
// RGB, CMYK and YCbCr of up to 16 bits, of which the high 8 are taken. Transparency is dropped (not
// blended; colours that were multiplied with it are divided). min_eighths has no effect, the
// answer has all pixels.
//
// kCorrupt if a strip or tile of the region is damaged, or the file is cut anywhere.
Result<ImagePart> decode_tiff(const EncodedImage& image, const ImageRequest& request,
                              const DecodeOptions& options, DecodeScratch& scratch);

// About how much memory that takes.
std::size_t tiff_memory_bytes(const ImageHeader& header, const ImageRequest& request, int channels);

}  // namespace penstock::decode
