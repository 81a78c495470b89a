// The last step for one row: colour, type and layout. Included once for each instruction set.
#if defined(PENSTOCK_TRANSFORM_FINISH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_TRANSFORM_FINISH_INL_H_
#undef PENSTOCK_TRANSFORM_FINISH_INL_H_
#else
#define PENSTOCK_TRANSFORM_FINISH_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "penstock/transform/kernel.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::transform::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVec = hn::Vec<FloatTag>;

// How values of each type are made of floats. `Element` is what is stored.
struct StoreU8 {
  using Element = std::uint8_t;
  static HWY_INLINE auto convert(FloatVec v) {
    return hn::DemoteTo(hn::Rebind<std::uint8_t, FloatTag>(), hn::NearestInt(v));
  }
};
struct StoreF16 {
  using Element = std::uint16_t;
  static HWY_INLINE auto convert(FloatVec v) {
    return hn::BitCast(hn::Rebind<std::uint16_t, FloatTag>(),
                       hn::DemoteTo(hn::Rebind<hwy::float16_t, FloatTag>(), v));
  }
};
struct StoreBF16 {
  using Element = std::uint16_t;
  // Highway's own conversion cuts off; this one rounds to even. There are no NaNs here.
  static HWY_INLINE auto convert(FloatVec v) {
    const hn::RebindToUnsigned<FloatTag> du32;
    const auto bits = hn::BitCast(du32, v);
    const auto is_odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du32, 1));
    const auto rounded = hn::Add(hn::Add(bits, hn::Set(du32, 0x7fff)), is_odd);
    return hn::DemoteTo(hn::Rebind<std::uint16_t, FloatTag>(),
                        hn::BitCast(hn::RebindToSigned<FloatTag>(), hn::ShiftRight<16>(rounded)));
  }
};
struct StoreF32 {
  using Element = float;
  static HWY_INLINE auto convert(FloatVec v) { return v; }
};

HWY_INLINE FloatVec load_floats(const float* from) { return hn::LoadU(FloatTag(), from); }
HWY_INLINE FloatVec load_floats(const std::uint8_t* from) {
  const hn::RebindToSigned<FloatTag> di32;
  const auto bytes = hn::LoadU(hn::Rebind<std::uint8_t, FloatTag>(), from);
  return hn::ConvertTo(FloatTag(), hn::PromoteTo(di32, bytes));
}

// One row of planes, and where it goes.
template <class In>
struct RowJob {
  const In* planes;
  std::size_t plane_stride;
  std::size_t width;
  std::byte* out;                // the first element of the row
  std::size_t out_plane_stride;  // in elements; planar only
};

template <class In, class Store, int kChannels, bool kIsPlanar, bool kIsAdjusted>
class RowFinisher {
 public:
  using Element = typename Store::Element;

  static void run(const Finish& finish, const RowJob<In>& job) {
    const std::size_t lanes = hn::Lanes(FloatTag());
    if (job.width < lanes) return run_short(finish, job);
    const RowFinisher row(finish);
    auto* out = reinterpret_cast<Element*>(job.out);
    for (std::size_t x = 0; x + lanes <= job.width; x += lanes) {
      row.step(job.planes + x, job.plane_stride, out + x * kPixelStep, job.out_plane_stride);
    }
    // The last vector overlaps the one before it.
    const std::size_t last = job.width - lanes;
    if (job.width % lanes != 0) {
      row.step(job.planes + last, job.plane_stride, out + last * kPixelStep, job.out_plane_stride);
    }
  }

 private:
  static constexpr std::size_t kPixelStep = kIsPlanar ? 1 : kChannels;

  explicit RowFinisher(const Finish& finish) {
    for (int c = 0; c < kChannels; ++c) {
      scale_[c] = hn::Set(FloatTag(), finish.scale[c]);
      offset_[c] = hn::Set(FloatTag(), finish.offset[c]);
      for (int k = 0; kIsAdjusted && k < 4; ++k) {
        matrix_[c][k] = hn::Set(FloatTag(), finish.matrix[c][k]);
      }
    }
  }

  HWY_INLINE FloatVec adjusted(const FloatVec* in, int c) const {
    FloatVec sum = matrix_[c][3];
    for (int k = 0; k < kChannels; ++k) sum = hn::MulAdd(in[k], matrix_[c][k], sum);
    return hn::Clamp(sum, hn::Zero(FloatTag()), hn::Set(FloatTag(), 255.0f));
  }

  HWY_INLINE void step(const In* planes, std::size_t plane_stride, Element* out,
                       std::size_t out_plane_stride) const {
    FloatVec in[kChannels], values[kChannels];
    for (int c = 0; c < kChannels; ++c) {
      in[c] = load_floats(planes + static_cast<std::size_t>(c) * plane_stride);
    }
    for (int c = 0; c < kChannels; ++c) {
      const FloatVec value = kIsAdjusted ? adjusted(in, c) : in[c];
      values[c] = hn::MulAdd(value, scale_[c], offset_[c]);
    }
    const hn::Rebind<Element, FloatTag> d_out;
    if constexpr (kIsPlanar) {
      for (int c = 0; c < kChannels; ++c) {
        hn::StoreU(Store::convert(values[c]), d_out,
                   out + static_cast<std::size_t>(c) * out_plane_stride);
      }
    } else {
      hn::StoreInterleaved3(Store::convert(values[0]), Store::convert(values[1]),
                            Store::convert(values[2]), d_out, out);
    }
  }

  // A row that is shorter than a vector goes through buffers of a vector's length.
  static void run_short(const Finish& finish, const RowJob<In>& job) {
    constexpr std::size_t kMost = hn::MaxLanes(FloatTag());
    In planes[kChannels * kMost] = {};
    Element elements[kChannels * kMost];
    for (std::size_t c = 0; c < kChannels; ++c) {
      std::memcpy(planes + c * kMost, job.planes + c * job.plane_stride, job.width * sizeof(In));
    }
    RowFinisher(finish).step(planes, kMost, elements, kMost);
    const std::size_t num_runs = kIsPlanar ? kChannels : 1;
    for (std::size_t run = 0; run < num_runs; ++run) {
      std::memcpy(job.out + run * job.out_plane_stride * sizeof(Element), elements + run * kMost,
                  job.width * kPixelStep * sizeof(Element));
    }
  }

  FloatVec matrix_[kChannels][4];
  FloatVec scale_[kChannels];
  FloatVec offset_[kChannels];
};

template <class In>
using FinishRow = void (*)(const Finish&, const RowJob<In>&);

template <class In, class Store, bool kIsAdjusted>
FinishRow<In> choose_layout(const Finish& finish) {
  if (finish.channels == 1) return &RowFinisher<In, Store, 1, true, kIsAdjusted>::run;
  if (finish.is_planar) return &RowFinisher<In, Store, 3, true, kIsAdjusted>::run;
  return &RowFinisher<In, Store, 3, false, kIsAdjusted>::run;
}

template <class In, class Store>
FinishRow<In> choose_adjustment(const Finish& finish) {
  return finish.is_adjusted ? choose_layout<In, Store, true>(finish)
                            : choose_layout<In, Store, false>(finish);
}

// Chosen once an image.
template <class In>
FinishRow<In> choose_finish(const Finish& finish) {
  switch (finish.dtype) {
    case DType::kF16:
      return choose_adjustment<In, StoreF16>(finish);
    case DType::kBF16:
      return choose_adjustment<In, StoreBF16>(finish);
    case DType::kF32:
      return choose_adjustment<In, StoreF32>(finish);
    default:
      return choose_adjustment<In, StoreU8>(finish);
  }
}

}  // namespace penstock::transform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
