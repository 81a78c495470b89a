// From interleaved bytes to one plane of bytes for each channel, possibly mirrored. Included once
// for each instruction set.
#if defined(PENSTOCK_TRANSFORM_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_TRANSFORM_PLANES_INL_H_
#undef PENSTOCK_TRANSFORM_PLANES_INL_H_
#else
#define PENSTOCK_TRANSFORM_PLANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "penstock/transform/kernel.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::transform::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int kChannels, bool kIsMirrored>
class PlaneSplitter {
 public:
  PlaneSplitter(const std::uint8_t* row, std::size_t width, std::uint8_t* planes,
                std::size_t plane_stride)
      : row_(row), width_(width), planes_(planes), plane_stride_(plane_stride) {}

  void run() const {
    if (width_ < kLanes) {
      for (std::size_t x = 0; x < width_; ++x) split_one(x);
      return;
    }
    for (std::size_t x = 0; x + kLanes <= width_; x += kLanes) split(x);
    // The last vector overlaps the one before it.
    if (width_ % kLanes != 0) split(width_ - kLanes);
  }

 private:
  using Tag = hn::FixedTag<std::uint8_t, 16>;
  static constexpr std::size_t kLanes = 16;

  void split_one(std::size_t x) const {
    const std::size_t to = kIsMirrored ? width_ - 1 - x : x;
    for (std::size_t c = 0; c < kChannels; ++c) {
      planes_[c * plane_stride_ + to] = row_[x * kChannels + c];
    }
  }

  HWY_INLINE void store(hn::Vec<Tag> v, std::size_t channel, std::size_t to) const {
    alignas(16) static constexpr std::uint8_t kReversed[16] = {15, 14, 13, 12, 11, 10, 9, 8,
                                                               7,  6,  5,  4,  3,  2,  1, 0};
    if constexpr (kIsMirrored) v = hn::TableLookupBytes(v, hn::Load(Tag(), kReversed));
    hn::StoreU(v, Tag(), planes_ + channel * plane_stride_ + to);
  }

  HWY_INLINE void split(std::size_t x) const {
    const std::size_t to = kIsMirrored ? width_ - kLanes - x : x;
    if constexpr (kChannels == 3) {
      hn::Vec<Tag> r, g, b;
      hn::LoadInterleaved3(Tag(), row_ + 3 * x, r, g, b);
      store(r, 0, to);
      store(g, 1, to);
      store(b, 2, to);
    } else {
      store(hn::LoadU(Tag(), row_ + x), 0, to);
    }
  }

  const std::uint8_t* row_;
  std::size_t width_;
  std::uint8_t* planes_;
  std::size_t plane_stride_;
};

using SplitRow = void (*)(const std::uint8_t* row, std::size_t width, std::uint8_t* planes,
                          std::size_t plane_stride);

template <int kChannels, bool kIsMirrored>
void split_row(const std::uint8_t* row, std::size_t width, std::uint8_t* planes,
               std::size_t plane_stride) {
  PlaneSplitter<kChannels, kIsMirrored>(row, width, planes, plane_stride).run();
}

inline SplitRow choose_split(int channels, bool is_mirrored) {
  if (channels == 1) return is_mirrored ? &split_row<1, true> : &split_row<1, false>;
  return is_mirrored ? &split_row<3, true> : &split_row<3, false>;
}

}  // namespace penstock::transform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
