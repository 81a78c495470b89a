// Conversions of rows of pixels that the codec libraries leave to us. All round as Pillow does.
#pragma once

#include <cstdint>

#include "penstock/base/array.h"
#include "penstock/decode/scratch.h"

namespace penstock::decode {

// From CMYK with the inverted values that Adobe writes (255 is no ink) to RGB (channels 3) or gray
// (channels 1).
void convert_inverted_cmyk(const std::uint8_t* cmyk, int width, int channels, std::uint8_t* out);

// ITU-R 601 luma. `gray` may be `rgb`.
void convert_rgb_to_gray(const std::uint8_t* rgb, int width, std::uint8_t* gray);

// An RGB image as it is (channels 3), or made gray in its place (channels 1).
ImageView in_channels(const MutableImage& rgb, int channels);

}  // namespace penstock::decode
