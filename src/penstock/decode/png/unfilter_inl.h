// The filters of PNG rows, undone. Included once for each instruction set.
#if defined(PENSTOCK_DECODE_PNG_UNFILTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_DECODE_PNG_UNFILTER_INL_H_
#undef PENSTOCK_DECODE_PNG_UNFILTER_INL_H_
#else
#define PENSTOCK_DECODE_PNG_UNFILTER_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "penstock/decode/png/unfilter.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::decode::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One pixel in the low bytes of a vector.
template <std::size_t kPixelBytes>
struct PixelLane {
  static constexpr std::size_t kLanes = kPixelBytes <= 4 ? 4 : 8;
  using Tag = hn::FixedTag<std::uint8_t, kLanes>;
  using Vector = hn::Vec<Tag>;

  // Reads up to kLanes bytes.
  static HWY_INLINE Vector load(const std::uint8_t* at) { return hn::LoadU(Tag(), at); }

  // Writes kPixelBytes.
  static HWY_INLINE void store(Vector pixel, std::uint8_t* at) {
    if constexpr (kLanes == 4) {
      const auto value = hn::GetLane(hn::BitCast(hn::FixedTag<std::uint32_t, 1>(), pixel));
      std::memcpy(at, &value, kPixelBytes);
    } else {
      const auto value = hn::GetLane(hn::BitCast(hn::FixedTag<std::uint64_t, 1>(), pixel));
      std::memcpy(at, &value, kPixelBytes);
    }
  }
};

inline void unfilter_none(std::uint8_t*, const std::uint8_t*, std::size_t) {}

inline void unfilter_up(std::uint8_t* row, const std::uint8_t* above, std::size_t size) {
  const hn::ScalableTag<std::uint8_t> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(tag, row + i), hn::LoadU(tag, above + i)), tag, row + i);
  }
  for (; i < size; ++i) row[i] = static_cast<std::uint8_t>(row[i] + above[i]);
}

// Sums over the whole pixels of 16 bytes, by doubling distances.
template <std::size_t kPixelBytes>
class PixelSums {
 public:
  using Tag = hn::FixedTag<std::uint8_t, 16>;
  using Vector = hn::Vec<Tag>;
  static constexpr std::size_t kUsed = 16 / kPixelBytes * kPixelBytes;

  PixelSums() {
    alignas(16) std::uint8_t last[16];
    alignas(16) std::uint8_t kept[16];
    for (std::size_t i = 0; i < 16; ++i) {
      last[i] = static_cast<std::uint8_t>(kUsed - kPixelBytes + i % kPixelBytes);
      kept[i] = i < kUsed ? 0 : 0xFF;
    }
    last_pixel_ = hn::Load(Tag(), last);
    beyond_ = hn::Load(Tag(), kept);
  }

  // `left` holds the pixel before in every place, and then the last one of these.
  HWY_INLINE Vector next(Vector filtered, Vector& left) const {
    Vector sums = filtered;
    if constexpr (kPixelBytes < kUsed) sums = plus_shifted<kPixelBytes>(sums);
    if constexpr (2 * kPixelBytes < kUsed) sums = plus_shifted<2 * kPixelBytes>(sums);
    if constexpr (4 * kPixelBytes < kUsed) sums = plus_shifted<4 * kPixelBytes>(sums);
    if constexpr (8 * kPixelBytes < kUsed) sums = plus_shifted<8 * kPixelBytes>(sums);
    // Two short steps from pixel to pixel: the sums of this vector alone do not wait for `left`.
    const Vector out = hn::Add(sums, left);
    left = hn::Add(hn::TableLookupBytes(sums, last_pixel_), left);
    // Bytes of a pixel that is not whole stay as they were.
    if constexpr (kUsed < 16) return hn::Or(hn::AndNot(beyond_, out), hn::And(beyond_, filtered));
    return out;
  }

 private:
  template <std::size_t kBytes>
  static HWY_INLINE Vector plus_shifted(Vector v) {
    return hn::Add(v, hn::ShiftLeftBytes<kBytes>(v));
  }

  Vector last_pixel_;
  Vector beyond_;
};

template <std::size_t kPixelBytes>
void unfilter_sub(std::uint8_t* row, const std::uint8_t*, std::size_t size) {
  using Sums = PixelSums<kPixelBytes>;
  const typename Sums::Tag tag;
  const Sums sums;
  auto left = hn::Zero(tag);
  std::size_t i = 0;
  for (; i + 16 <= size; i += Sums::kUsed) {
    hn::StoreU(sums.next(hn::LoadU(tag, row + i), left), tag, row + i);
  }
  if (i == 0) i = kPixelBytes;
  for (; i < size; ++i) row[i] = static_cast<std::uint8_t>(row[i] + row[i - kPixelBytes]);
}

// Calls step(filtered, above) -> pixel for each whole pixel.
template <std::size_t kPixelBytes, class Step>
HWY_INLINE void for_each_pixel(std::uint8_t* row, const std::uint8_t* above, std::size_t size,
                               Step& step) {
  using Lane = PixelLane<kPixelBytes>;
  for (std::size_t i = 0; i + kPixelBytes <= size; i += kPixelBytes) {
    Lane::store(step(Lane::load(row + i), Lane::load(above + i)), row + i);
  }
}

// x + (left + above) / 2 rounds down, and the instruction rounds up. Of complements it is the other
// way round: ~pixel = average(~left, ~above) - x, which is two instructions from pixel to pixel.
template <std::size_t kPixelBytes>
class AverageStep {
 public:
  using Lane = PixelLane<kPixelBytes>;
  using Vector = typename Lane::Vector;

  HWY_INLINE Vector operator()(Vector filtered, Vector above) {
    not_left_ = hn::Sub(hn::AverageRound(not_left_, hn::Not(above)), filtered);
    return hn::Not(not_left_);
  }

 private:
  Vector not_left_ = hn::Set(typename Lane::Tag(), 0xFF);
};

template <std::size_t kPixelBytes>
void unfilter_average(std::uint8_t* row, const std::uint8_t* above, std::size_t size) {
  AverageStep<kPixelBytes> step;
  for_each_pixel<kPixelBytes>(row, above, size, step);
}

// The predictor is the neighbour that lies nearest to left + above - corner. With
// bound = 3 * corner - left - above it is: the greater of left and above if bound <= the lesser;
// the lesser if bound >= the greater; else the corner. If both hold, all are equal. That is five
// instructions from pixel to pixel. Values have 16 bits of which the high ones are 0; sums of bytes
// keep them so.
template <std::size_t kPixelBytes>
class PaethStep {
 public:
  using Lane = PixelLane<kPixelBytes>;
  using Vector = typename Lane::Vector;

  HWY_INLINE Vector operator()(Vector filtered, Vector above_bytes) {
    const Wide above = hn::PromoteTo(WideTag(), above_bytes);
    const Wide known = hn::Sub(hn::Add(corner_, hn::Add(corner_, corner_)), above);
    const Wide bound = hn::Sub(known, left_);
    const Wide low = hn::Min(left_, above), high = hn::Max(left_, above);
    const auto is_not_low = hn::VecFromMask(WideTag(), hn::Gt(high, bound));
    const auto is_not_high = hn::VecFromMask(WideTag(), hn::Gt(bound, low));
    const Wide to_low = hn::AndNot(is_not_low, minus_bytes(low, corner_));
    const Wide to_high = hn::AndNot(is_not_high, minus_bytes(high, corner_));
    const Wide base = plus_bytes(hn::PromoteTo(WideTag(), filtered), corner_);
    left_ = plus_bytes(plus_bytes(base, to_low), to_high);
    corner_ = above;
    return hn::DemoteTo(typename Lane::Tag(), left_);
  }

 private:
  using WideTag = hn::FixedTag<std::int16_t, Lane::kLanes>;
  using Wide = hn::Vec<WideTag>;
  using ByteTag = hn::FixedTag<std::uint8_t, 2 * Lane::kLanes>;

  static HWY_INLINE Wide plus_bytes(Wide a, Wide b) {
    return hn::BitCast(WideTag(), hn::Add(hn::BitCast(ByteTag(), a), hn::BitCast(ByteTag(), b)));
  }
  static HWY_INLINE Wide minus_bytes(Wide a, Wide b) {
    return hn::BitCast(WideTag(), hn::Sub(hn::BitCast(ByteTag(), a), hn::BitCast(ByteTag(), b)));
  }

  Wide left_ = hn::Zero(WideTag());
  Wide corner_ = hn::Zero(WideTag());
};

template <std::size_t kPixelBytes>
void unfilter_paeth(std::uint8_t* row, const std::uint8_t* above, std::size_t size) {
  PaethStep<kPixelBytes> step;
  for_each_pixel<kPixelBytes>(row, above, size, step);
}

template <std::size_t kPixelBytes>
Unfilters make_unfilters() {
  return {&unfilter_none, &unfilter_sub<kPixelBytes>, &unfilter_up, &unfilter_average<kPixelBytes>,
          &unfilter_paeth<kPixelBytes>};
}

}  // namespace penstock::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
