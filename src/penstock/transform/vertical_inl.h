// The first pass: one row of weighted sums over source rows. Included once for each instruction
// set.
#if defined(PENSTOCK_TRANSFORM_VERTICAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_TRANSFORM_VERTICAL_INL_H_
#undef PENSTOCK_TRANSFORM_VERTICAL_INL_H_
#else
#define PENSTOCK_TRANSFORM_VERTICAL_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "penstock/transform/kernel.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::transform::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Bytes are moved up by this much, so that a rounding multiplication that keeps the upper 16 bits
// leaves kValueBits of the fraction.
constexpr int kByteShift = 15 - kWeightBits + kValueBits;

// Beyond this many taps, rounding each product would add up; the sums are kept in 32 bits then.
constexpr int kMaxRoundedTaps = 32;

// The source rows that make up an output row.
struct RowTaps {
  const std::uint8_t* const* rows;
  const std::int16_t* weights;
  int num_taps;
};

// Adds (or, if it is the first, sets) kTaps rows times their weights.
template <int kTaps, bool kIsFirst>
class RowSum {
 public:
  explicit RowSum(const RowTaps& taps) {
    for (int k = 0; k < kTaps; ++k) {
      rows_[k] = taps.rows[k];
      weights_[k] = taps.weights[k];
    }
  }

  void run(std::size_t size, std::int16_t* HWY_RESTRICT out) const {
    const std::size_t lanes = hn::Lanes(kTag16);
    if (size < lanes) return run_short(size, out);
    hn::Vec<D16> weights[kTaps];
    for (int k = 0; k < kTaps; ++k) weights[k] = hn::Set(kTag16, weights_[k]);
    // The last vector overlaps the one before it, so it is computed before `out` changes.
    const auto last = sum(weights, size - lanes, out);
    std::size_t i = 0;
    for (; i + 2 * lanes <= size; i += 2 * lanes) {
      const auto a = sum(weights, i, out);
      const auto b = sum(weights, i + lanes, out);
      hn::StoreU(a, kTag16, out + i);
      hn::StoreU(b, kTag16, out + i + lanes);
    }
    if (i + lanes <= size) hn::StoreU(sum(weights, i, out), kTag16, out + i);
    hn::StoreU(last, kTag16, out + size - lanes);
  }

 private:
  using D16 = hn::ScalableTag<std::int16_t>;
  using D8 = hn::Rebind<std::uint8_t, D16>;

  HWY_INLINE hn::Vec<D16> sum(const hn::Vec<D16>* weights, std::size_t i,
                              const std::int16_t* out) const {
    auto total = kIsFirst ? hn::Zero(kTag16) : hn::LoadU(kTag16, out + i);
    for (int k = 0; k < kTaps; ++k) {
      const auto bytes = hn::PromoteTo(kTag16, hn::LoadU(kTag8, rows_[k] + i));
      total = hn::Add(total, hn::MulFixedPoint15(hn::ShiftLeft<kByteShift>(bytes), weights[k]));
    }
    return total;
  }

  // The same arithmetic for a row that is shorter than a vector.
  void run_short(std::size_t size, std::int16_t* out) const {
    for (std::size_t i = 0; i < size; ++i) {
      int total = kIsFirst ? 0 : out[i];
      for (int k = 0; k < kTaps; ++k) {
        const int product = (rows_[k][i] << kByteShift) * weights_[k];
        total += (product + (1 << 14)) >> 15;
      }
      out[i] = static_cast<std::int16_t>(total);
    }
  }

  static constexpr D16 kTag16{};
  static constexpr D8 kTag8{};
  const std::uint8_t* rows_[kTaps];
  std::int16_t weights_[kTaps];
};

template <bool kIsFirst>
void add_rows(const RowTaps& taps, std::size_t size, std::int16_t* out) {
  switch (taps.num_taps) {
    case 1:
      return RowSum<1, kIsFirst>(taps).run(size, out);
    case 2:
      return RowSum<2, kIsFirst>(taps).run(size, out);
    case 3:
      return RowSum<3, kIsFirst>(taps).run(size, out);
    default:
      return RowSum<4, kIsFirst>(taps).run(size, out);
  }
}

void sum_many_rows(const RowTaps& taps, std::size_t size, std::int32_t* HWY_RESTRICT sums,
                   std::int16_t* HWY_RESTRICT out) {
  std::fill(sums, sums + size, 1 << (kWeightBits - kValueBits - 1));
  for (int k = 0; k < taps.num_taps; ++k) {
    const std::uint8_t* row = taps.rows[k];
    const int weight = taps.weights[k];
    for (std::size_t i = 0; i < size; ++i) sums[i] += row[i] * weight;
  }
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = static_cast<std::int16_t>(sums[i] >> (kWeightBits - kValueBits));
  }
}

// out[i] = sum of rows[k][i] * weights[k], with kValueBits behind the point. `wide_sums` has room
// for `size` sums.
void sum_rows(RowTaps taps, std::size_t size, std::int32_t* wide_sums, std::int16_t* out) {
  while (taps.num_taps > 1 && taps.weights[taps.num_taps - 1] == 0) --taps.num_taps;
  if (taps.num_taps > kMaxRoundedTaps) return sum_many_rows(taps, size, wide_sums, out);
  constexpr int kMost = 4;
  add_rows<true>({taps.rows, taps.weights, std::min(taps.num_taps, kMost)}, size, out);
  for (int k = kMost; k < taps.num_taps; k += kMost) {
    add_rows<false>({taps.rows + k, taps.weights + k, std::min(taps.num_taps - k, kMost)}, size,
                    out);
  }
}

}  // namespace penstock::transform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
