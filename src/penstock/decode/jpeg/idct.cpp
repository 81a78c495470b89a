// Chooses the inverse DCT of the CPU at hand.
#include "penstock/decode/jpeg/idct.h"

#include "penstock/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "penstock/decode/jpeg/idct.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "penstock/decode/jpeg/idct_inl.h"

#if HWY_ONCE
namespace penstock::decode {
HWY_EXPORT(invert_row);
HWY_EXPORT(num_lanes);

int num_idct_lanes() { return HWY_DYNAMIC_DISPATCH(num_lanes)(); }

bool inverse_dct(const IdctRow& row, const QuantTable& quant) {
  return HWY_DYNAMIC_DISPATCH(invert_row)(row, quant);
}

}  // namespace penstock::decode
#endif
