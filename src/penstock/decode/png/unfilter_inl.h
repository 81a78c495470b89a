// The filters of PNG rows, undone. Included once for each instruction set.
#if defined(PENSTOCK_DECODE_PNG_UNFILTER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_DECODE_PNG_UNFILTER_INL_H
#undef PENSTOCK_DECODE_PNG_UNFILTER_INL_H
#else
#define PENSTOCK_DECODE_PNG_UNFILTER_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

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

  // Reads kLanes bytes.
  static HWY_INLINE Vector load(const std::uint8_t* at) { return hn::LoadU(Tag(), at); }

  // May write into the next pixel, but not farther.
  static HWY_INLINE void store(Vector pixel, std::uint8_t* at) {
    if constexpr (kLanes < 2 * kPixelBytes) return hn::StoreU(pixel, Tag(), at);
    store_last(pixel, at);
  }

  // Writes kPixelBytes.
  static HWY_INLINE void store_last(Vector pixel, std::uint8_t* at) {
    using Value = std::conditional_t<kLanes == 4, std::uint32_t, std::uint64_t>;
    const Value value = hn::GetLane(hn::BitCast(hn::FixedTag<Value, 1>(), pixel));
    std::memcpy(at, &value, kPixelBytes);
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

  HWY_INLINE PixelSums() {
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
  if (size >= 16) {
    // A load of bytes that have just been stored, but not all by one store, would have to wait.
    auto filtered = hn::LoadU(tag, row);
    for (; i + Sums::kUsed + 16 <= size; i += Sums::kUsed) {
      const auto next = hn::LoadU(tag, row + i + Sums::kUsed);
      hn::StoreU(sums.next(filtered, left), tag, row + i);
      filtered = next;
    }
    hn::StoreU(sums.next(filtered, left), tag, row + i);
    i += Sums::kUsed;
  } else {
    i = kPixelBytes;
  }
  for (; i < size; ++i) row[i] = static_cast<std::uint8_t>(row[i] + row[i - kPixelBytes]);
}

// Calls step(filtered, above) -> pixel for each whole pixel.
template <std::size_t kPixelBytes, class Step>
HWY_INLINE void for_each_pixel(std::uint8_t* row, const std::uint8_t* above, std::size_t size,
                               Step& step) {
  using Lane = PixelLane<kPixelBytes>;
  // A store may reach into the next pixel, which is loaded before.
  auto filtered = Lane::load(row);
  std::size_t i = 0;
  for (; i + 2 * kPixelBytes <= size; i += kPixelBytes) {
    const auto next = Lane::load(row + i + kPixelBytes);
    Lane::store(step(filtered, Lane::load(above + i)), row + i);
    filtered = next;
  }
  Lane::store_last(step(filtered, Lane::load(above + i)), row + i);
}

// x + (left + above) / 2 rounds down, and the instruction rounds up. Of complements it is the other
// way round: ~pixel = average(~left, ~above) - x, which is two instructions from pixel to pixel.
template <std::size_t kPixelBytes>
class AverageStep {
 public:
  using Lane = PixelLane<kPixelBytes>;
  using Vector = typename Lane::Vector;

  HWY_INLINE AverageStep() : not_left_(hn::Set(typename Lane::Tag(), 0xFF)) {}

  HWY_INLINE Vector operator()(Vector filtered, Vector above) {
    not_left_ = hn::Sub(hn::AverageRound(not_left_, hn::Not(above)), filtered);
    return hn::Not(not_left_);
  }

 private:
  Vector not_left_;
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

  HWY_INLINE PaethStep() : left_(hn::Zero(WideTag())), corner_(hn::Zero(WideTag())) {}

  HWY_INLINE Vector operator()(Vector filtered, Vector above_bytes) {
    const Wide above = hn::PromoteTo(WideTag(), above_bytes);
    const Wide known = hn::Sub(hn::Add(corner_, hn::Add(corner_, corner_)), above);
    // Nothing saturates here; but compilers would reorder plain differences, against the clock.
    const Wide bound = hn::SaturatedSub(known, left_);
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

  Wide left_;
  Wide corner_;
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
