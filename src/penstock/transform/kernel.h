// The loops over pixels, for every instruction set. They know nothing of ops, parts or geometry:
// render.cpp turns those into the plain numbers below.
#pragma once

#include <cstddef>
#include <cstdint>

#include "penstock/base/array.h"
#include "penstock/transform/scratch_buffer.h"
#include "penstock/transform/taps.h"

namespace penstock::transform {

// From a resampled value to the element that is stored. If is_adjusted, the matrix is applied and
// the result clamped to 0..255; then the value is multiplied by scale and offset is added.
struct Finish {
  DType dtype = DType::kU8;
  bool is_planar = false;  // CHW
  bool is_adjusted = false;
  int channels = 3;
  float matrix[3][4] = {};
  float scale[3] = {};
  float offset[3] = {};
};

// The pixels to be written: all channels of `width` x `height`, contiguous.
struct Target {
  std::byte* out = nullptr;
  int width = 0;
  int height = 0;
};

struct KernelScratch {
  ScratchBuffer<std::uint8_t> fill_row;
  ScratchBuffer<const std::uint8_t*> row_pointers;
  ScratchBuffer<std::int16_t> column_sums;
  ScratchBuffer<float> planes;
  ScratchBuffer<std::uint8_t> byte_planes;
  ScratchBuffer<std::int16_t> tap_weights;
  ScratchBuffer<std::int32_t> tap_offsets;
  ScratchBuffer<std::int32_t> wide_sums;

  std::size_t size_bytes() const;
};

// Values between the passes have this many bits behind the point, so that overshooting filters fit.
inline constexpr int kValueBits = 6;
// resample_image hands Finish values that are this many times too large.
inline constexpr double kResampledUnit = 1 << (kValueBits + kWeightBits);

struct ResampleJob {
  ImageView pixels;
  const AxisTaps* x = nullptr;
  const AxisTaps* y = nullptr;
  const std::uint8_t* fill = nullptr;  // one pixel
};

// Reads `pixels` only inside its rows.
void resample_image(const ResampleJob& job, const Finish& finish, const Target& target,
                    KernelScratch& scratch);

// One row of pixels, unscaled, possibly mirrored, to row `y` of the target.
struct CopyJob {
  const std::uint8_t* const* rows = nullptr;  // target.height of them, target.width pixels each
  bool is_mirrored = false;
};

void copy_image(const CopyJob& job, const Finish& finish, const Target& target,
                KernelScratch& scratch);

}  // namespace penstock::transform
