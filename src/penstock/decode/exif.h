// The one thing that decoding needs from EXIF data: which way up the image is.
#pragma once

#include "penstock/base/array.h"

namespace penstock::decode {

// `tiff` is an EXIF block from its byte-order mark on ("II*\0" or "MM\0*"). Answers the value of
// the Orientation tag of the first directory, 1 to 8, and 1 if there is none or the block is
// damaged: metadata never fails an image.
int exif_orientation(Bytes tiff);

}  // namespace penstock::decode
