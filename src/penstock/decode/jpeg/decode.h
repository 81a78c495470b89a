// JPEG: by our own decoder what is common, by libjpeg-turbo the rest.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

// Decodes request.region of the image as it is stored, and around it only what its pixels depend
// on. Baseline and extended sequential images of 8 bits begin at the entry point before the region,
// if image.entry_points has it, and end with its last row. The pixels are those of a whole decode
// with libjpeg-turbo's defaults (accurate DCT, fancy upsampling), bit for bit, which are those of
// Pillow and torchvision. Smaller ones, of any number of eighths, are made of the lowest
// frequencies of each block; chroma becomes as dense as luma where its blocks have so many samples.
// Files that libjpeg-turbo decodes come in 8, 4, 2 or 1 eighths: the fewest that are allowed.
//
// kCorrupt if data that the region depends on is missing or damaged, or the file is cut anywhere.
// Any other flaw outside the region is not always seen.
Result<ImagePart> decode_jpeg(const EncodedImage& image, const ImageRequest& request,
                              const DecodeOptions& options, DecodeScratch& scratch);

// About how much memory that takes.
std::size_t jpeg_memory_bytes(const ImageHeader& header, const ImageRequest& request, int channels);

}  // namespace penstock::decode
