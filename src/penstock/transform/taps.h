// For each output pixel along one axis: which source pixels it is made of, and how much of each.
#pragma once

#include <cstdint>
#include <vector>

#include "penstock/transform/geometry.h"

namespace penstock::transform {

// Where the pixels of an ImagePart lie along one axis of its source.
struct PartAxis {
  double origin = 0;  // in pixels of the part
  int num_pixels = 0;
  int eighths = 8;
  friend bool operator==(const PartAxis&, const PartAxis&) = default;
};

// Weights are fixed point and add up to kOne for every output.
inline constexpr int kWeightBits = 14;
inline constexpr int kOne = 1 << kWeightBits;

// Kernels read weights in blocks of this many.
inline constexpr int kTapBlock = 8;

// Positions count the pixels that are used: 0 is the fill colour, 1 .. num_pixels are the pixels
// from `low` on, num_pixels + 1 is the fill colour again. So padding needs no case of its own.
struct AxisTaps {
  int low = 0;
  int num_pixels = 0;
  int num_taps = 0;                   // the most that an output has
  int stride = 0;                     // between the weights of two outputs; whole kTapBlocks
  std::vector<std::int32_t> first;    // for each output, the position of its first tap
  std::vector<std::int16_t> weights;  // for each output `stride` of them, with zeros at the end
};

// Fills `taps` and reuses its memory.
void make_taps(const Axis& axis, Filter filter, const PartAxis& part, AxisTaps& taps);

}  // namespace penstock::transform
