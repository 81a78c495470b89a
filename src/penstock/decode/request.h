// What every codec checks before it decodes.
#pragma once

#include <cstdint>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::decode {

// What the header of an image says.
struct ImageHeader {
  ImageSize size;       // as stored
  int orientation = 1;  // 1 to 8, as EXIF numbers it
  // Memory that decoding any part of the image takes: a copy of the file, the coefficients of one
  // in several scans.
  std::size_t whole_bytes = 0;
};

// Images with more bytes of pixels than this are not read.
inline constexpr std::int64_t kMaxImageBytes = (std::int64_t{1} << 31) - 1;

// kUnsupported if an image of this size exceeds kMaxImageBytes.
Status check_image_size(ImageSize size, int channels);

// kInvalidArgument unless the region is a part of the image and not empty, min_eighths is 1 to 8
// and channels is 1 or 3.
Status check_request(const ImageRequest& request, ImageSize size, int channels);

// A decoder's answer that begins at pixel (left, top) of the image with so many eighths.
ImagePart make_part(const ImageView& pixels, ImageSize full_size, int left, int top,
                    int eighths = 8);

}  // namespace penstock::decode
