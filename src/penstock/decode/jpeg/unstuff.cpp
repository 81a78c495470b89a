// Copies a vector at a time; 0xff is rare enough (every 256th byte) for one by one.
#include "penstock/decode/jpeg/unstuff.h"

#include "penstock/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "penstock/decode/jpeg/unstuff.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::decode::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

Unstuffed unstuff_bytes(const std::uint8_t* bytes, std::size_t size, std::uint8_t* out,
                        std::vector<std::uint32_t>& stuffed) {
  const hn::CappedTag<std::uint8_t, 32> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto mark = hn::Set(d, 0xff);
  std::size_t read = 0, written = 0;
  while (read < size) {
    std::size_t plain = 0;  // bytes before the next 0xff
    if (size - read >= lanes) {
      const auto v = hn::LoadU(d, bytes + read);
      hn::StoreU(v, d, out + written);
      const std::intptr_t found = hn::FindFirstTrue(d, hn::Eq(v, mark));
      plain = found < 0 ? lanes : static_cast<std::size_t>(found);
      read += plain;
      written += plain;
      if (found < 0) continue;
    } else if (bytes[read] != 0xff) {
      out[written++] = bytes[read++];
      continue;
    }
    if (read + 1 == size || bytes[read + 1] != 0) break;
    stuffed.push_back(static_cast<std::uint32_t>(written));
    out[written++] = 0xff;
    read += 2;
  }
  return {read, written};
}

}  // namespace penstock::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::decode {
HWY_EXPORT(unstuff_bytes);

Unstuffed unstuff(Bytes bytes, std::uint8_t* out, std::vector<std::uint32_t>& stuffed) {
  return HWY_DYNAMIC_DISPATCH(unstuff_bytes)(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                             bytes.size(), out, stuffed);
}

}  // namespace penstock::decode
#endif
