// The second pass: from a row of column sums to the resampled pixels of one output row, one plane
// for each channel. Included once for each instruction set.
#if defined(PENSTOCK_TRANSFORM_HORIZONTAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_TRANSFORM_HORIZONTAL_INL_H_
#undef PENSTOCK_TRANSFORM_HORIZONTAL_INL_H_
#else
#define PENSTOCK_TRANSFORM_HORIZONTAL_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "penstock/transform/kernel.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::transform::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of one or two blocks of 16 bytes. A block works on one output pixel: of RGB it holds two
// taps of three channels, of gray eight taps. Four vectors make 4 * kBlocks neighbouring outputs:
// block b of vector j is output j + 4 * b, so that a transposition inside blocks puts them in
// order.
using TapTag = hn::CappedTag<std::int16_t, 16>;
using SumTag = hn::RepartitionToWide<TapTag>;
constexpr int kBlocks = static_cast<int>(hn::MaxLanes(TapTag())) / 8;
constexpr int kGroup = 4 * kBlocks;

// How many taps one block takes.
template <int kChannels>
constexpr int kBlockTaps = kChannels == 3 ? 2 : 8;

// Weights and offsets of an axis in the order in which the pass reads them.
struct ArrangedTaps {
  const std::int16_t* weights;
  const std::int32_t* offsets;  // of an output's first tap, in elements of the row
  int num_steps;                // blocks for one output
};

// The weights of one block: of RGB a pair for each channel, of gray eight.
template <int kChannels>
HWY_INLINE void write_block(const std::int16_t* weights, std::int16_t* lanes) {
  const hn::FixedTag<std::int16_t, 8> d;
  if constexpr (kChannels == 3) {
    const hn::FixedTag<std::int32_t, 4> d32;
    std::int32_t pair;
    std::memcpy(&pair, weights, sizeof pair);
    hn::Store(hn::BitCast(d, hn::Set(d32, pair)), d, lanes);
  } else {
    hn::Store(hn::LoadU(d, weights), d, lanes);
  }
}

// Outputs behind the last one, which fill up a group, are like the first.
template <int kChannels>
ArrangedTaps arrange_taps(const AxisTaps& taps, int width, KernelScratch& scratch) {
  const int num_steps = (taps.num_taps + kBlockTaps<kChannels> - 1) / kBlockTaps<kChannels>;
  const int num_outputs = (width + kGroup - 1) / kGroup * kGroup;
  const auto count = static_cast<std::size_t>(num_outputs);
  std::int16_t* weights =
      scratch.tap_weights.reserve(count * static_cast<std::size_t>(num_steps) * 8);
  std::int32_t* offsets = scratch.tap_offsets.reserve(count);
  for (int output = 0; output < num_outputs; ++output) {
    const int in_group = output % kGroup;
    const int vector = output / kGroup * 4 + in_group % 4, block = in_group / 4;
    const auto from = static_cast<std::size_t>(output < width ? output : 0);
    offsets[vector * kBlocks + block] = taps.first[from] * kChannels;
    const std::int16_t* source = &taps.weights[from * static_cast<std::size_t>(taps.stride)];
    std::int16_t* lanes = weights + (vector * num_steps * kBlocks + block) * 8;
    for (int step = 0; step < num_steps; ++step) {
      write_block<kChannels>(source + step * kBlockTaps<kChannels>, lanes + step * kBlocks * 8);
    }
  }
  return {weights, offsets, num_steps};
}

// One row of each channel.
struct FloatPlanes {
  float* data;
  std::size_t stride;
};

// One block from each of kBlocks places.
HWY_INLINE hn::Vec<TapTag> load_blocks(const std::int16_t* row, const std::int32_t* offsets) {
  const TapTag d;
  if constexpr (kBlocks == 2) {
    const hn::Half<TapTag> half;
    return hn::Combine(d, hn::LoadU(half, row + offsets[1]), hn::LoadU(half, row + offsets[0]));
  } else {
    return hn::LoadU(d, row + offsets[0]);
  }
}

// From two neighbouring RGB pixels to r0 r1 g0 g1 b0 b1 and two lanes of no use.
HWY_INLINE hn::Vec<TapTag> pair_channels(hn::Vec<TapTag> pixels) {
  const hn::Repartition<std::uint8_t, TapTag> d8;
  alignas(16) static constexpr std::uint8_t kOrder[16] = {0, 1, 6,  7,  2,  3,  8,  9,
                                                          4, 5, 10, 11, 12, 13, 14, 15};
  return hn::BitCast(TapTag(),
                     hn::TableLookupBytes(hn::BitCast(d8, pixels), hn::LoadDup128(d8, kOrder)));
}

// The weighted sums of one vector of outputs. kSteps is 0 if it is not known beforehand.
template <int kChannels, int kSteps>
HWY_INLINE hn::Vec<SumTag> weighted_sum(const std::int16_t* row, const std::int32_t* offsets,
                                        const std::int16_t* weights, int num_steps) {
  const TapTag d;
  const SumTag d32;
  auto even = hn::Zero(d32), odd = hn::Zero(d32);
  for (int step = 0; step < (kSteps > 0 ? kSteps : num_steps); ++step) {
    auto taps = load_blocks(row + step * kBlockTaps<kChannels> * kChannels, offsets);
    if constexpr (kChannels == 3) taps = pair_channels(taps);
    even = hn::ReorderWidenMulAccumulate(d32, taps, hn::Load(d, weights + step * 8 * kBlocks), even,
                                         odd);
  }
  return hn::RearrangeToOddPlusEven(even, odd);
}

// The lower or upper pair of lanes of each block of `a`, then of `b`.
HWY_INLINE hn::Vec<SumTag> lower_pairs(hn::Vec<SumTag> a, hn::Vec<SumTag> b) {
  const hn::RepartitionToWide<SumTag> d64;
  return hn::BitCast(SumTag(), hn::InterleaveLower(d64, hn::BitCast(d64, a), hn::BitCast(d64, b)));
}
HWY_INLINE hn::Vec<SumTag> upper_pairs(hn::Vec<SumTag> a, hn::Vec<SumTag> b) {
  const hn::RepartitionToWide<SumTag> d64;
  return hn::BitCast(SumTag(), hn::InterleaveUpper(d64, hn::BitCast(d64, a), hn::BitCast(d64, b)));
}

HWY_INLINE void store_floats(hn::Vec<SumTag> sums, float* plane) {
  const hn::RebindToFloat<SumTag> df;
  hn::StoreU(hn::ConvertTo(df, sums), df, plane);
}

// Four vectors of outputs become kGroup values in each plane.
template <int kChannels>
HWY_INLINE void store_group(const hn::Vec<SumTag>* v, FloatPlanes planes) {
  const SumTag d;
  const auto low01 = hn::InterleaveLower(d, v[0], v[1]);
  const auto low23 = hn::InterleaveLower(d, v[2], v[3]);
  const auto high01 = hn::InterleaveUpper(d, v[0], v[1]);
  const auto high23 = hn::InterleaveUpper(d, v[2], v[3]);
  if constexpr (kChannels == 3) {
    store_floats(lower_pairs(low01, low23), planes.data);
    store_floats(upper_pairs(low01, low23), planes.data + planes.stride);
    store_floats(lower_pairs(high01, high23), planes.data + 2 * planes.stride);
  } else {
    const auto sum01 = hn::Add(low01, high01), sum23 = hn::Add(low23, high23);
    store_floats(hn::Add(lower_pairs(sum01, sum23), upper_pairs(sum01, sum23)), planes.data);
  }
}

template <int kChannels, int kSteps>
void sum_columns_by(const std::int16_t* row, const ArrangedTaps& taps, int width,
                    FloatPlanes planes) {
  const int num_steps = kSteps > 0 ? kSteps : taps.num_steps;
  const std::int16_t* weights = taps.weights;
  const std::int32_t* offsets = taps.offsets;
  for (int x = 0; x < width; x += kGroup) {
    hn::Vec<SumTag> sums[4];
    for (int j = 0; j < 4; ++j) {
      sums[j] = weighted_sum<kChannels, kSteps>(row, offsets, weights, num_steps);
      offsets += kBlocks;
      weights += num_steps * kBlocks * 8;
    }
    store_group<kChannels>(sums, {planes.data + x, planes.stride});
  }
}

// Writes `width` values, rounded up to whole groups, to each plane.
template <int kChannels>
void sum_columns(const std::int16_t* row, const ArrangedTaps& taps, int width, FloatPlanes planes) {
  switch (taps.num_steps) {
    case 1:
      return sum_columns_by<kChannels, 1>(row, taps, width, planes);
    case 2:
      return sum_columns_by<kChannels, 2>(row, taps, width, planes);
    case 3:
      return sum_columns_by<kChannels, 3>(row, taps, width, planes);
    default:
      return sum_columns_by<kChannels, 0>(row, taps, width, planes);
  }
}

}  // namespace penstock::transform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
