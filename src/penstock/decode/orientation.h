// Between an image as its file stores it and the image upright. An orientation is the number that
// EXIF gives it, 1 to 8; 1 is upright, 6 means "turn clockwise by 90 degrees to see it right".
#pragma once

#include "penstock/base/array.h"
#include "penstock/decode/scratch.h"

namespace penstock::decode {

// Whether rows of the stored image are columns of the upright one.
constexpr bool swaps_axes(int orientation) { return orientation >= 5; }

ImageSize upright_size(ImageSize stored, int orientation);

// The pixels of the stored image that are `upright_region` of the upright one.
Rect stored_region(const Rect& upright_region, ImageSize stored, int orientation);

// Turns `stored`, whose origin and full size are those of the stored image. The pixels of the
// answer lie in `buffer`, which must not be the one that holds those of `stored`. Where the image
// is mirrored and does not end with a whole pixel of the answer, the squares that are cut off stand
// at the left or upper edge, and origin_x or origin_y is a fraction, down to -7/8.
ImagePart turn_upright(const ImagePart& stored, int orientation, PixelBuffer& buffer);

}  // namespace penstock::decode
