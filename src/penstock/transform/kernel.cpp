// Puts the passes together for each instruction set; the best one is chosen once an image.
#include "penstock/transform/kernel.h"

#include "penstock/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "penstock/transform/kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "penstock/transform/finish_inl.h"
#include "penstock/transform/horizontal_inl.h"
#include "penstock/transform/planes_inl.h"
#include "penstock/transform/vertical_inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::transform::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The row job of row `y`, but for its planes.
template <class In>
RowJob<In> row_job(const Finish& finish, const Target& target, int y) {
  const auto width = static_cast<std::size_t>(target.width);
  const std::size_t row_elements =
      finish.is_planar ? width : width * static_cast<std::size_t>(finish.channels);
  return {.width = width,
          .out = target.out + static_cast<std::size_t>(y) * row_elements * size_bytes(finish.dtype),
          .out_plane_stride = width * static_cast<std::size_t>(target.height)};
}

// The source rows by their positions in the taps: the fill colour, the pixels, the fill colour.
template <int kChannels>
const std::uint8_t* const* position_rows(const ResampleJob& job, KernelScratch& scratch) {
  const auto num_rows = static_cast<std::size_t>(job.y->num_pixels);
  const std::size_t row_bytes = static_cast<std::size_t>(job.x->num_pixels) * kChannels;
  std::uint8_t* fill_row = scratch.fill_row.reserve(row_bytes + 1);
  for (std::size_t i = 0; i < row_bytes; ++i) fill_row[i] = job.fill[i % kChannels];
  const std::uint8_t** rows = scratch.row_pointers.reserve(num_rows + 2);
  for (std::size_t i = 0; i < num_rows; ++i) {
    rows[i + 1] = job.pixels.row(job.y->low + static_cast<int>(i)) + job.x->low * kChannels;
  }
  rows[0] = rows[num_rows + 1] = fill_row;
  return rows;
}

// Room for one row of column sums with the fill colour on both sides, where it is set, and zeros
// behind, where taps without weight reach. Returns the place of the first pixel.
template <int kChannels>
std::int16_t* prepare_sums(const ResampleJob& job, int num_taps, KernelScratch& scratch) {
  const auto num_pixels = static_cast<std::size_t>(job.x->num_pixels);
  const std::size_t size = (num_pixels + 2) * kChannels;
  const std::size_t slack = static_cast<std::size_t>(num_taps) * kChannels + 16;
  std::int16_t* sums = scratch.column_sums.reserve(size + slack);
  for (std::size_t c = 0; c < kChannels; ++c) {
    const auto fill = static_cast<std::int16_t>(job.fill[c] << kValueBits);
    sums[c] = sums[size - kChannels + c] = fill;
  }
  std::fill(sums + size, sums + size + slack, std::int16_t{0});
  return sums;
}

template <int kChannels>
void resample_channels(const ResampleJob& job, const Finish& finish, const Target& target,
                       KernelScratch& scratch) {
  const std::uint8_t* const* rows = position_rows<kChannels>(job, scratch);
  const ArrangedTaps taps = arrange_taps<kChannels>(*job.x, target.width, scratch);
  std::int16_t* sums =
      prepare_sums<kChannels>(job, taps.num_steps * kBlockTaps<kChannels>, scratch);
  const std::size_t row_bytes = static_cast<std::size_t>(job.x->num_pixels) * kChannels;
  std::int32_t* wide_sums = scratch.wide_sums.reserve(row_bytes);
  const std::size_t plane_stride = static_cast<std::size_t>(target.width) + kGroup;
  const FloatPlanes planes{scratch.planes.reserve(plane_stride * kChannels), plane_stride};
  const FinishRow<float> finish_row = choose_finish<float>(finish);
  for (int y = 0; y < target.height; ++y) {
    const auto output = static_cast<std::size_t>(y);
    const std::int16_t* weights = &job.y->weights[output * static_cast<std::size_t>(job.y->stride)];
    sum_rows({rows + job.y->first[output], weights, job.y->num_taps}, row_bytes, wide_sums,
             sums + kChannels);
    sum_columns<kChannels>(sums, taps, target.width, planes);
    RowJob<float> row = row_job<float>(finish, target, y);
    row.planes = planes.data;
    row.plane_stride = planes.stride;
    finish_row(finish, row);
  }
}

void resample(const ResampleJob& job, const Finish& finish, const Target& target,
              KernelScratch& scratch) {
  if (finish.channels == 1) return resample_channels<1>(job, finish, target, scratch);
  resample_channels<3>(job, finish, target, scratch);
}

void copy(const CopyJob& job, const Finish& finish, const Target& target, KernelScratch& scratch) {
  const SplitRow split = choose_split(finish.channels, job.is_mirrored);
  const FinishRow<std::uint8_t> finish_row = choose_finish<std::uint8_t>(finish);
  const auto width = static_cast<std::size_t>(target.width);
  std::uint8_t* planes =
      scratch.byte_planes.reserve(width * static_cast<std::size_t>(finish.channels));
  for (int y = 0; y < target.height; ++y) {
    RowJob<std::uint8_t> row = row_job<std::uint8_t>(finish, target, y);
    split(job.rows[y], width, planes, width);
    row.planes = planes;
    row.plane_stride = width;
    finish_row(finish, row);
  }
}

}  // namespace penstock::transform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::transform {
HWY_EXPORT(resample);
HWY_EXPORT(copy);

std::size_t KernelScratch::size_bytes() const {
  return fill_row.size_bytes() + row_pointers.size_bytes() + column_sums.size_bytes() +
         planes.size_bytes() + byte_planes.size_bytes() + tap_weights.size_bytes() +
         tap_offsets.size_bytes() + wide_sums.size_bytes();
}

void resample_image(const ResampleJob& job, const Finish& finish, const Target& target,
                    KernelScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(resample)(job, finish, target, scratch);
}

void copy_image(const CopyJob& job, const Finish& finish, const Target& target,
                KernelScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(copy)(job, finish, target, scratch);
}

}  // namespace penstock::transform
#endif
