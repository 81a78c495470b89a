// Pixels to JPEG, by libjpeg-turbo: for converted datasets, demonstrations and tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::decode {

// How many pixels, across and down, share one sample of each colour difference.
enum class ChromaSampling : std::uint8_t {
  k444,  // 1 x 1
  k422,  // 2 x 1
  k420,  // 2 x 2
  k440,  // 1 x 2
  k411,  // 4 x 1
};

struct JpegOptions {
  int quality = 90;  // 1 to 100
  ChromaSampling sampling = ChromaSampling::k420;
  bool is_progressive = false;
  bool is_arithmetic = false;  // few other programs read these
  int restart_interval = 0;    // in MCUs; 0 writes no restart markers
  int orientation = 0;         // 1 to 8 writes EXIF data that says so; 0 writes none
};

// kInvalidArgument for an image or options that JPEG cannot hold.
Result<std::vector<std::byte>> encode_jpeg(const ImageView& image, const JpegOptions& options);

}  // namespace penstock::decode
