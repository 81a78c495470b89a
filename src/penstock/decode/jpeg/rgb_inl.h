// Upsampling and colour conversion of one row. Included once for each instruction set.
#if defined(PENSTOCK_DECODE_JPEG_RGB_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_DECODE_JPEG_RGB_INL_H_
#undef PENSTOCK_DECODE_JPEG_RGB_INL_H_
#else
#define PENSTOCK_DECODE_JPEG_RGB_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace penstock::decode::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using WordTag = hn::CappedTag<std::int16_t, 16>;
using Words = hn::Vec<WordTag>;
using ByteTag = hn::Rebind<std::uint8_t, WordTag>;
constexpr std::size_t kWordLanes = hn::MaxLanes(WordTag());

HWY_INLINE Words load_words(const std::uint8_t* from) {
  return hn::PromoteTo(WordTag(), hn::LoadU(ByteTag(), from));
}

// 3 * near + far, of which the weights add up to 4: halfway to another row.
HWY_INLINE void blend_rows(const std::uint8_t* near, const std::uint8_t* far, std::size_t size,
                           std::int16_t* out) {
  const WordTag d;
  const auto three = hn::Set(d, 3);
  for (std::size_t i = 0; i < size; i += kWordLanes) {
    hn::StoreU(hn::Add(hn::Mul(load_words(near + i), three), load_words(far + i)), d, out + i);
  }
}

template <int kShift>
HWY_INLINE void narrow_row(const std::int16_t* in, std::int16_t bias, std::size_t size,
                           std::uint8_t* out) {
  const WordTag d;
  for (std::size_t i = 0; i < size; i += kWordLanes) {
    const auto sum = hn::Add(hn::LoadU(d, in + i), hn::Set(d, bias));
    hn::StoreU(hn::DemoteTo(ByteTag(), hn::ShiftRight<kShift>(sum)), ByteTag(), out + i);
  }
}

// Twice as many samples, each 3/4 of the near one and 1/4 of the far one. in[-1] and in[size] are
// read.
template <int kShift>
HWY_INLINE void widen_row(const std::int16_t* in, std::int16_t even_bias, std::int16_t odd_bias,
                          std::size_t size, std::uint8_t* out) {
  const WordTag d;
  const auto three = hn::Set(d, 3);
  for (std::size_t i = 0; i < size; i += kWordLanes) {
    const auto near = hn::Mul(hn::LoadU(d, in + i), three);
    const auto even = hn::Add(hn::Add(near, hn::LoadU(d, in + i - 1)), hn::Set(d, even_bias));
    const auto odd = hn::Add(hn::Add(near, hn::LoadU(d, in + i + 1)), hn::Set(d, odd_bias));
    hn::StoreInterleaved2(hn::DemoteTo(ByteTag(), hn::ShiftRight<kShift>(even)),
                          hn::DemoteTo(ByteTag(), hn::ShiftRight<kShift>(odd)), ByteTag(),
                          out + 2 * i);
  }
}

HWY_INLINE void promote_row(const std::uint8_t* in, std::size_t size, std::int16_t* out) {
  for (std::size_t i = 0; i < size; i += kWordLanes) {
    hn::StoreU(load_words(in + i), WordTag(), out + i);
  }
}

// (chroma * factor + 2^15) >> 16, for |factor| < 2^15 (T.871, with libjpeg's constants).
HWY_INLINE Words scaled(Words chroma, std::int16_t factor) {
  const WordTag d;
  const auto product = hn::MulHigh(hn::Add(chroma, chroma), hn::Set(d, factor));
  return hn::ShiftRight<1>(hn::Add(product, hn::Set(d, 1)));
}

// The share of green: -0.34414 blue - 0.71414 red.
HWY_INLINE Words green_share(Words blue, Words red) {
  const WordTag d;
  const hn::RepartitionToWide<WordTag> d32;
  constexpr std::int32_t kBlue = -22554, kRed = 65536 - 46802;
  const auto weights = hn::BitCast(
      d, hn::Set(d32, static_cast<std::int32_t>(static_cast<std::uint16_t>(kBlue) | kRed << 16)));
  const auto half = hn::Set(d32, 1 << 15);
  const auto sum = [&](Words pairs) HWY_ATTR {
    auto odd = hn::Zero(d32);
    const auto even = hn::ReorderWidenMulAccumulate(d32, pairs, weights, half, odd);
    return hn::ShiftRight<16>(hn::RearrangeToOddPlusEven(even, odd));
  };
  const auto shares = hn::ReorderDemote2To(d, sum(hn::InterleaveLower(d, blue, red)),
                                           sum(hn::InterleaveUpper(d, blue, red)));
  return hn::Sub(shares, red);
}

// Writes `size` pixels, up to a multiple of a vector.
HWY_INLINE void convert_row(const std::uint8_t* luma, const std::uint8_t* blue,
                            const std::uint8_t* red, std::size_t size, std::uint8_t* out) {
  const WordTag d;
  const ByteTag d8;
  const auto centre = hn::Set(d, 128);
  for (std::size_t i = 0; i < size; i += kWordLanes) {
    const auto y = load_words(luma + i);
    const auto cb = hn::Sub(load_words(blue + i), centre);
    const auto cr = hn::Sub(load_words(red + i), centre);
    const auto r = hn::Add(hn::Add(y, cr), scaled(cr, 26345));
    const auto g = hn::Add(y, green_share(cb, cr));
    const auto b = hn::Add(hn::Add(y, hn::Add(cb, cb)), scaled(cb, -14942));
    hn::StoreInterleaved3(hn::DemoteTo(d8, r), hn::DemoteTo(d8, g), hn::DemoteTo(d8, b), d8,
                          out + 3 * i);
  }
}

}  // namespace penstock::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
