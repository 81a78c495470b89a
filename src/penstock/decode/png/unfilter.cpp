// Chooses among the filters by the size of a pixel, for each instruction set.

// See transform/kernel.cpp. AVX-512 compares into mask registers, which takes longer from pixel to
// pixel than AVX2 does.
#define HWY_BROKEN_EMU128 0
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL)

#include "penstock/decode/png/unfilter.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "penstock/decode/png/unfilter.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "penstock/decode/png/unfilter_inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::decode::HWY_NAMESPACE {

Unfilters unfilters(int pixel_bytes) {
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
}

}  // namespace penstock::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::decode {
HWY_EXPORT(unfilters);

Unfilters choose_unfilters(int pixel_bytes) { return HWY_DYNAMIC_DISPATCH(unfilters)(pixel_bytes); }

}  // namespace penstock::decode
#endif
