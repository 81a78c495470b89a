// What happens to the colour of a pixel, wherever it is. Colour ops answer with one of these; they
// compose into one matrix, so the result is clamped once, not after every op.
#pragma once

#include <array>

namespace penstock::transform {

// (r, g, b, 1) -> (r, g, b), on values in 0..255.
using ColourMatrix = std::array<std::array<double, 4>, 3>;

inline constexpr ColourMatrix kSameColour = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

// The matrix, then a clamp to 0..255 (only if is_adjusted), then (x / 255 - mean) / deviation (only
// if is_normalized). Without normalisation u8 outputs hold 0..255 and float outputs 0..1. For gray
// images the first row and the first mean count; every op keeps gray gray.
struct Colour {
  ColourMatrix matrix = kSameColour;
  bool is_adjusted = false;  // the matrix may be something else than kSameColour
  bool is_normalized = false;
  std::array<double, 3> mean{};
  std::array<double, 3> deviation = {1, 1, 1};
};

// factor * colour + (1 - factor) * `other`, where `other` is a matrix.
Colour blended(double factor, const ColourMatrix& other);

// `first`, then `second`. `first` is not normalised.
Colour compose(const Colour& first, const Colour& second);

// The shares of red, green and blue in gray (ITU-R BT.601).
inline constexpr std::array<double, 3> kLuma = {0.299, 0.587, 0.114};
inline constexpr ColourMatrix kGray = {{{kLuma[0], kLuma[1], kLuma[2], 0},
                                        {kLuma[0], kLuma[1], kLuma[2], 0},
                                        {kLuma[0], kLuma[1], kLuma[2], 0}}};

// The adjustments of torchvision's ColorJitter, each 1 (or 0 turns) for no change.
Colour brightened(double factor);
// Around `center` in 0..1, not around the image's own mean.
Colour contrasted(double factor, double center);
Colour saturated(double factor);
// Turns the chroma plane of YIQ, so that it is linear; torchvision turns the hue of HSV.
Colour hue_turned(double turns);

}  // namespace penstock::transform
