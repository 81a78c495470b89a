// What the chunks of a WebP file say about the image.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

bool is_webp(Bytes bytes);

// What a file shows first: its only image, or the first frame of an animation.
struct WebpFrame {
  ImageSize canvas;
  Rect place;    // of the frame on the canvas
  Bytes stream;  // the frame, as libwebp takes it
  int orientation = 1;
  bool is_lossy = false;
  bool has_alpha = false;
};

// kCorrupt if the file is shorter than it says, or the frame does not lie on the canvas.
Result<WebpFrame> find_webp_frame(Bytes bytes);

// The size of the canvas, and the orientation from an EXIF chunk, if there is one.
Result<ImageHeader> read_webp_header(Bytes bytes);

}  // namespace penstock::decode
