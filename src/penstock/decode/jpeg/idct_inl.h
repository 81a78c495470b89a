// The accurate integer inverse DCT of libjpeg (Loeffler, Ligtenberg and Moschytz, 1989), in the
// order of operations of libjpeg-turbo's SIMD code. Included once for each instruction set.
#if defined(PENSTOCK_DECODE_JPEG_IDCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_DECODE_JPEG_IDCT_INL_H_
#undef PENSTOCK_DECODE_JPEG_IDCT_INL_H_
#else
#define PENSTOCK_DECODE_JPEG_IDCT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "penstock/decode/jpeg/idct.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::decode::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of one or two blocks of 16 bytes, each of which holds a row of a DCT block.
using RowTag = hn::CappedTag<std::int16_t, 16>;
using WideTag = hn::RepartitionToWide<RowTag>;
using Row = hn::Vec<RowTag>;
using Wide = hn::Vec<WideTag>;
constexpr std::size_t kRowLanes = hn::MaxLanes(RowTag());

constexpr int kConstBits = 13;
constexpr int kPass1Bits = 2;

constexpr std::int16_t fixed(double value) {
  return static_cast<std::int16_t>(value * (1 << kConstBits) + (value < 0 ? -0.5 : 0.5));
}

// libjpeg rounds each of its constants, and adds them up then.
constexpr std::int16_t k0298 = fixed(0.298631336), k0390 = fixed(0.390180644),
                       k0541 = fixed(0.541196100), k0765 = fixed(0.765366865),
                       k0899 = fixed(0.899976223), k1175 = fixed(1.175875602),
                       k1501 = fixed(1.501321110), k1847 = fixed(1.847759065),
                       k1961 = fixed(1.961570560), k2053 = fixed(2.053119869),
                       k2562 = fixed(2.562915447), k3072 = fixed(3.072711026);

// The lower and the upper half of a row's lanes (in each block), 32 bits each.
struct WideRow {
  Wide low;
  Wide high;
};

HWY_INLINE WideRow operator+(const WideRow& a, const WideRow& b) {
  return {hn::Add(a.low, b.low), hn::Add(a.high, b.high)};
}
HWY_INLINE WideRow operator-(const WideRow& a, const WideRow& b) {
  return {hn::Sub(a.low, b.low), hn::Sub(a.high, b.high)};
}

struct Pairs {
  Row low;
  Row high;
};

HWY_INLINE Pairs pairs_of(Row a, Row b) {
  const RowTag d;
  return {hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)};
}

// a * ka + b * kb of each pair.
HWY_INLINE Wide weighted(Row pairs, std::int16_t ka, std::int16_t kb) {
  const WideTag d;
  const auto weights = static_cast<std::int32_t>(static_cast<std::uint16_t>(ka) |
                                                 static_cast<std::uint32_t>(kb) << 16);
  Wide odd = hn::Zero(d);
  const Wide even = hn::ReorderWidenMulAccumulate(
      d, pairs, hn::BitCast(RowTag(), hn::Set(d, weights)), hn::Zero(d), odd);
  return hn::RearrangeToOddPlusEven(even, odd);
}
HWY_INLINE WideRow weighted(const Pairs& pairs, std::int16_t ka, std::int16_t kb) {
  return {weighted(pairs.low, ka, kb), weighted(pairs.high, ka, kb)};
}

// Times 2^kConstBits.
HWY_INLINE WideRow widened(Row row) {
  const RowTag d;
  const WideTag d32;
  const Row zero = hn::Zero(d);
  return {hn::ShiftRight<16 - kConstBits>(hn::BitCast(d32, hn::InterleaveLower(d, zero, row))),
          hn::ShiftRight<16 - kConstBits>(hn::BitCast(d32, hn::InterleaveUpper(d, zero, row)))};
}

template <int kShift>
HWY_INLINE Row narrowed(const WideRow& wide) {
  const Wide half = hn::Set(WideTag(), 1 << (kShift - 1));
  return hn::ReorderDemote2To(RowTag(), hn::ShiftRight<kShift>(hn::Add(wide.low, half)),
                              hn::ShiftRight<kShift>(hn::Add(wide.high, half)));
}

// One pass over the columns of a block.
template <int kShift>
HWY_INLINE void transform_columns(Row* v) {
  const Pairs even = pairs_of(v[2], v[6]);
  const WideRow t2 = weighted(even, k0541, k0541 - k1847);
  const WideRow t3 = weighted(even, k0541 + k0765, k0541);
  const WideRow t0 = widened(hn::Add(v[0], v[4]));
  const WideRow t1 = widened(hn::Sub(v[0], v[4]));
  const WideRow t10 = t0 + t3, t13 = t0 - t3, t11 = t1 + t2, t12 = t1 - t2;

  const Pairs sums = pairs_of(hn::Add(v[7], v[3]), hn::Add(v[5], v[1]));
  const WideRow z3 = weighted(sums, k1175 - k1961, k1175);
  const WideRow z4 = weighted(sums, k1175, k1175 - k0390);
  const Pairs outer = pairs_of(v[7], v[1]);
  const WideRow o0 = weighted(outer, k0298 - k0899, -k0899) + z3;
  const WideRow o3 = weighted(outer, -k0899, k1501 - k0899) + z4;
  const Pairs inner = pairs_of(v[5], v[3]);
  const WideRow o1 = weighted(inner, k2053 - k2562, -k2562) + z4;
  const WideRow o2 = weighted(inner, -k2562, k3072 - k2562) + z3;

  v[0] = narrowed<kShift>(t10 + o3);
  v[7] = narrowed<kShift>(t10 - o3);
  v[1] = narrowed<kShift>(t11 + o2);
  v[6] = narrowed<kShift>(t11 - o2);
  v[2] = narrowed<kShift>(t12 + o1);
  v[5] = narrowed<kShift>(t12 - o1);
  v[3] = narrowed<kShift>(t13 + o0);
  v[4] = narrowed<kShift>(t13 - o0);
}

template <class Lane>
HWY_INLINE void interleave(Row& a, Row& b) {
  const hn::Repartition<Lane, RowTag> d;
  const auto x = hn::BitCast(d, a), y = hn::BitCast(d, b);
  a = hn::BitCast(RowTag(), hn::InterleaveLower(d, x, y));
  b = hn::BitCast(RowTag(), hn::InterleaveUpper(d, x, y));
}

// Rows of each block become its columns.
HWY_INLINE void transpose(Row* v) {
  for (int i = 0; i < 8; i += 2) interleave<std::int16_t>(v[i], v[i + 1]);
  // v[0]: rows 0 and 1, columns 0..3; v[1]: the same, columns 4..7; and so on.
  interleave<std::int32_t>(v[0], v[2]);
  interleave<std::int32_t>(v[1], v[3]);
  interleave<std::int32_t>(v[4], v[6]);
  interleave<std::int32_t>(v[5], v[7]);
  // v[0]: rows 0..3, columns 0 and 1; v[2]: 2 and 3; v[1]: 4 and 5; v[3]: 6 and 7.
  interleave<std::int64_t>(v[0], v[4]);
  interleave<std::int64_t>(v[2], v[6]);
  interleave<std::int64_t>(v[1], v[5]);
  interleave<std::int64_t>(v[3], v[7]);
  const Row columns[8] = {v[0], v[4], v[2], v[6], v[1], v[5], v[3], v[7]};
  for (int i = 0; i < 8; ++i) v[i] = columns[i];
}

HWY_INLINE void store_samples(Row row, std::uint8_t* out) {
  const hn::Rebind<std::int8_t, RowTag> d8;
  const hn::RebindToUnsigned<decltype(d8)> du8;
  const auto samples = hn::BitCast(du8, hn::DemoteTo(d8, row));
  hn::StoreU(hn::Xor(samples, hn::Set(du8, 0x80)), du8, out);
}

inline bool invert_row(const IdctRow& row, const QuantTable& quant) {
  const RowTag d;
  Row weights[8];
  for (int i = 0; i < 8; ++i) {
    weights[i] = hn::LoadDup128(d, reinterpret_cast<const std::int16_t*>(quant.data()) + 8 * i);
  }
  constexpr int kNumLanes = kRowLanes / kBlockSide;
  // libjpeg-turbo multiplies the first row by 4 in 16 bits, if the others are zero.
  constexpr std::int16_t kMaxExact = 32767 >> kPass1Bits;
  Row largest = hn::Zero(d), smallest = hn::Zero(d);
  std::int16_t* coefficients = row.coefficients;
  for (int block = 0; block < row.num_blocks; block += kNumLanes) {
    Row v[8];
    for (int i = 0; i < 8; ++i) {
      v[i] = hn::Mul(hn::LoadU(d, coefficients + kRowLanes * i), weights[i]);
      hn::StoreU(hn::Zero(d), d, coefficients + kRowLanes * i);
    }
    largest = hn::Max(largest, v[0]);
    smallest = hn::Min(smallest, v[0]);
    transform_columns<kConstBits - kPass1Bits>(v);
    transpose(v);
    transform_columns<kConstBits + kPass1Bits + 3>(v);
    transpose(v);
    std::uint8_t* out = row.samples + block * kBlockSide;
    for (int i = 0; i < 8; ++i) store_samples(v[i], out + i * row.stride);
    coefficients += kRowLanes * kBlockSide;
  }
  return hn::AllFalse(d, hn::Or(hn::Gt(largest, hn::Set(d, kMaxExact)),
                                hn::Lt(smallest, hn::Set(d, -kMaxExact - 1))));
}

inline int num_lanes() { return kRowLanes / kBlockSide; }

}  // namespace penstock::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
