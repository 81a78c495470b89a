// Chooses among the filters by the size of a pixel, for each instruction set.
#include "penstock/decode/png/unfilter.h"

#include "penstock/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "penstock/decode/png/unfilter.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "penstock/decode/png/unfilter_inl.h"

#if HWY_TARGET == HWY_AVX3
namespace penstock::decode::N_AVX2 {
Unfilters unfilters(int pixel_bytes);
}
#endif

HWY_BEFORE_NAMESPACE();
namespace penstock::decode::HWY_NAMESPACE {

Unfilters unfilters(int pixel_bytes) {
#if HWY_TARGET == HWY_AVX3
  // AVX-512 compares into mask registers, which takes longer from pixel to pixel than AVX2 does.
  return N_AVX2::unfilters(pixel_bytes);
#else
  switch (pixel_bytes) {
    case 1:
      return make_unfilters<1>();
    case 2:
      return make_unfilters<2>();
    case 3:
      return make_unfilters<3>();
    case 4:
      return make_unfilters<4>();
    case 6:
      return make_unfilters<6>();
    default:
      return make_unfilters<8>();
  }
#endif
}

}  // namespace penstock::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::decode {
HWY_EXPORT(unfilters);

Unfilters choose_unfilters(int pixel_bytes) { return HWY_DYNAMIC_DISPATCH(unfilters)(pixel_bytes); }

}  // namespace penstock::decode
#endif
