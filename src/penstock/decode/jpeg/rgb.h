// From planes of luma and chroma to RGB, bit for bit as libjpeg-turbo does it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "penstock/base/array.h"
#include "penstock/decode/scratch.h"

namespace penstock::decode {

// A plane of samples of which a window is there. Coordinates are those of the whole plane.
struct SamplePlane {
  std::uint8_t* data = nullptr;  // of the sample at (left, top)
  std::size_t stride = 0;
  int left = 0;
  int top = 0;
  ImageSize full_size;  // samples of the image; there may be more of them, which complete a block

  std::uint8_t* at(int x, int y) const {
    return data + static_cast<std::ptrdiff_t>(y - top) * static_cast<std::ptrdiff_t>(stride) +
           (x - left);
  }
};

struct YccImage {
  std::array<SamplePlane, 3> planes;
  int columns = 1;  // luma samples to one of chroma
  int rows = 1;
};

// Writes `region` of the image as RGB. The planes hold it, and one more sample of chroma on each
// side where the image has one. kSampleSlack samples behind the window's last one in each row can
// be overwritten, and read before its first.
inline constexpr std::size_t kSampleSlack = 64;
void convert_to_rgb(const YccImage& image, const Rect& region, PixelBuffer& lines,
                    const MutableImage& out);

}  // namespace penstock::decode
