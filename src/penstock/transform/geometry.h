// Where the pixels of an image come from. Geometry ops answer with one of these and never touch
// pixels; they compose into one, which is rendered in a single pass.
//
// Coordinates are edges: pixel i covers [i, i + 1). A composed geometry resamples once, with the
// filter of the last resize. Two resizes one after the other become one with the product of their
// scales, which is sharper than resampling twice.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "penstock/base/array.h"

namespace penstock::transform {

// As PIL and torchvision (antialias=True) define them: triangle and Catmull-Rom (a = -0.5), widened
// by the scale when the image gets smaller.
enum class Filter : std::uint8_t { kNearest, kBilinear, kBicubic };
constexpr std::array<std::string_view, 3> enum_names(Filter) {
  return {"nearest", "bilinear", "bicubic"};
}

// Half the width of a filter, in pixels of the coarser of its two sides.
double filter_radius(Filter filter);

// [low, high), empty if high <= low.
struct Range {
  double low = 0;
  double high = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

// One axis. Coordinate u of the output lies at offset + scale * u of the source.
struct Axis {
  int size = 0;       // of the output
  double offset = 0;  // in source pixels
  double scale = 1;   // source pixels to one output pixel; negative if mirrored
  // What the filter may see, in source coordinates: all that was there at the last resize.
  Range canvas;
  // Where there are pixels of the source; the rest of the canvas has the fill colour.
  Range image;
  // Outputs in [content_low, content_high) are resampled; the others have the fill colour.
  int content_low = 0;
  int content_high = 0;
  friend bool operator==(const Axis&, const Axis&) = default;
};

using FillColour = std::array<std::uint8_t, 3>;  // for gray images the first counts

struct Geometry {
  Axis x;
  Axis y;
  Filter filter = Filter::kBilinear;
  bool is_resampled = false;  // otherwise both scales are 1 or -1 and both offsets whole
  bool is_padded = false;     // `fill` may be seen
  FillColour fill{};

  ImageSize output_size() const { return {x.size, y.size}; }
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

// How much is added on each side.
struct Padding {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
};

Geometry unchanged(ImageSize size);
// Left to right.
Geometry mirrored(ImageSize size);
// `rect` lies inside the image.
Geometry cropped(ImageSize size, const Rect& rect);
Geometry resized(ImageSize size, ImageSize new_size, Filter filter);
Geometry padded(ImageSize size, const Padding& padding, FillColour fill);

// `first`, then `second`, which is a geometry of first's output. If both pad, the result has the
// fill of `second`.
Geometry compose(const Geometry& first, const Geometry& second);

// A decoder may shrink only so far that the image still has to get this many times smaller: what is
// left of the antialias filter then hides how the decoder averaged. Every image shall come as close
// as 40 dB to a full decode: with 1.5, 4 of 1,600 photographs of 768x768 did not, by 0.3 dB.
inline constexpr double kMinScaleAfterShrink = 2.0;

// The pixels of the source that `geometry` touches, and the coarsest decode that does it justice.
ImageRequest needed_part(const Geometry& geometry);

}  // namespace penstock::transform
