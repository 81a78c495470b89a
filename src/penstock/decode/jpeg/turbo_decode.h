// JPEG by libjpeg-turbo.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

// Decodes request.region of the image as it is stored into scratch.pixels, and around it only what
// its pixels depend on: the rows below are not even entropy-decoded (in baseline files). The pixels
// are those of a whole decode with libjpeg-turbo's defaults (accurate DCT, fancy upsampling), bit
// for bit, and at full size those of Pillow and torchvision.
//
// kCorrupt if data that the region depends on is missing or damaged, or the file is cut anywhere.
// Any other flaw below the region of a baseline file is not seen.
Result<ImagePart> decode_jpeg_by_turbo(const EncodedImage& image, const ImageRequest& request,
                                       const DecodeOptions& options, DecodeScratch& scratch);

// About how much memory that takes.
std::size_t turbo_memory_bytes(const ImageHeader& header, const ImageRequest& request,
                               int channels);

}  // namespace penstock::decode
