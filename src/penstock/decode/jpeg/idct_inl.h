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
#include <cstring>

#include "penstock/decode/jpeg/idct.h"
#include "penstock/decode/jpeg/idct_basis.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::decode::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of one or two blocks of 16 bytes, each of which holds a row of a DCT block.
using RowTag = hn::CappedTag<std::int16_t, 16>;
using WideTag = hn::RepartitionToWide<RowTag>;
using Row = hn::Vec<RowTag>;
using Wide = hn::Vec<WideTag>;
constexpr std::size_t kRowLanes = hn::MaxLanes(RowTag());

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

// Times 2^kConstBits, and what rounds a shift by kShift.
template <int kShift>
HWY_INLINE WideRow widened(Row row) {
  const RowTag d;
  const WideTag d32;
  const Row zero = hn::Zero(d);
  const Wide half = hn::Set(d32, 1 << (kShift - 1));
  const Wide low = hn::BitCast(d32, hn::InterleaveLower(d, zero, row));
  const Wide high = hn::BitCast(d32, hn::InterleaveUpper(d, zero, row));
  return {hn::Add(hn::ShiftRight<16 - kConstBits>(low), half),
          hn::Add(hn::ShiftRight<16 - kConstBits>(high), half)};
}

template <int kShift>
HWY_INLINE Row narrowed(const WideRow& wide) {
  return hn::ReorderDemote2To(RowTag(), hn::ShiftRight<kShift>(wide.low),
                              hn::ShiftRight<kShift>(wide.high));
}

// One pass over the columns of a block. Every output has t0 or t1 in it once, which carry the
// rounding.
template <int kShift>
HWY_INLINE void transform_columns(Row* v) {
  const Pairs even = pairs_of(v[2], v[6]);
  const WideRow t2 = weighted(even, k0541, k0541 - k1847);
  const WideRow t3 = weighted(even, k0541 + k0765, k0541);
  const WideRow t0 = widened<kShift>(hn::Add(v[0], v[4]));
  const WideRow t1 = widened<kShift>(hn::Sub(v[0], v[4]));
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

HWY_INLINE hn::Vec<hn::Rebind<std::uint8_t, RowTag>> samples_of(Row row) {
  const hn::Rebind<std::int8_t, RowTag> d8;
  const hn::RebindToUnsigned<decltype(d8)> du8;
  return hn::Xor(hn::BitCast(du8, hn::DemoteTo(d8, row)), hn::Set(du8, 0x80));
}

constexpr int kGroupBlocks = kRowLanes / kBlockSide;

// Loads and dequantises a group of blocks, and sets their coefficients to zero.
HWY_INLINE void take_group(std::int16_t* coefficients, const Row* weights, Row* v) {
  const RowTag d;
  for (int i = 0; i < 8; ++i) {
    v[i] = hn::Mul(hn::LoadU(d, coefficients + kRowLanes * i), weights[i]);
    hn::StoreU(hn::Zero(d), d, coefficients + kRowLanes * i);
  }
}

HWY_INLINE bool invert_whole(const IdctRow& row, const Row* weights) {
  const RowTag d;
  // libjpeg-turbo multiplies the first row by 4 in 16 bits, if the others are zero.
  constexpr std::int16_t kMaxExact = 32767 >> kPass1Bits;
  Row largest = hn::Zero(d), smallest = hn::Zero(d);
  for (int block = 0; block < row.num_blocks; block += kGroupBlocks) {
    Row v[8];
    take_group(row.coefficients + block * kBlockSize, weights, v);
    largest = hn::Max(largest, v[0]);
    smallest = hn::Min(smallest, v[0]);
    transform_columns<kConstBits - kPass1Bits>(v);
    transpose(v);
    transform_columns<kConstBits + kPass1Bits + 3>(v);
    transpose(v);
    std::uint8_t* out = row.samples + block * kBlockSide;
    for (int i = 0; i < 8; ++i) {
      hn::StoreU(samples_of(v[i]), hn::Rebind<std::uint8_t, RowTag>(), out + i * row.stride);
    }
  }
  return hn::AllFalse(d, hn::Or(hn::Gt(largest, hn::Set(d, kMaxExact)),
                                hn::Lt(smallest, hn::Set(d, -kMaxExact - 1))));
}

// One pass that makes `num` values of the lowest `num` of 8 frequencies: a value and its mirror
// image are the sum and the difference of what even and odd frequencies contribute.
template <int kShift>
HWY_INLINE void transform_scaled(int num, const ScaledBasis& basis, Row* v) {
  const Row zero = hn::Zero(RowTag());
  const auto frequency = [&](int k) HWY_ATTR { return k < num ? v[k] : zero; };
  const Pairs even0 = pairs_of(v[0], frequency(2)), even4 = pairs_of(frequency(4), frequency(6));
  const Pairs odd1 = pairs_of(frequency(1), frequency(3)),
              odd5 = pairs_of(frequency(5), frequency(7));
  const Wide half = hn::Set(WideTag(), 1 << (kShift - 1));
  Row out[8];
  for (int n = 0; 2 * n < num; ++n) {
    const std::int16_t* w = basis.weights[n];
    const WideRow even =
        weighted(even0, w[0], w[2]) + weighted(even4, w[4], w[6]) + WideRow{half, half};
    const WideRow odd = weighted(odd1, w[1], w[3]) + weighted(odd5, w[5], w[7]);
    out[n] = narrowed<kShift>(even + odd);
    out[num - 1 - n] = narrowed<kShift>(2 * n == num - 1 ? even + odd : even - odd);
  }
  for (int n = 0; n < num; ++n) v[n] = out[n];
}

HWY_INLINE void invert_scaled(const IdctRow& row, const Row* weights) {
  const hn::Rebind<std::uint8_t, RowTag> d8;
  const ScaledBasis& columns = scaled_basis(row.block.columns);
  const ScaledBasis& rows = scaled_basis(row.block.rows);
  for (int block = 0; block < row.num_blocks; block += kGroupBlocks) {
    Row v[8];
    take_group(row.coefficients + block * kBlockSize, weights, v);
    transform_scaled<kConstBits - kPass1Bits>(row.block.rows, rows, v);
    for (int i = row.block.rows; i < 8; ++i) v[i] = hn::Zero(RowTag());
    transpose(v);
    transform_scaled<kConstBits + kPass1Bits>(row.block.columns, columns, v);
    for (int i = row.block.columns; i < 8; ++i) v[i] = hn::Zero(RowTag());
    transpose(v);
    std::uint8_t* out = row.samples + block * row.block.columns;
    for (int i = 0; i < row.block.rows; ++i, out += row.stride) {
      // Each block writes 8 samples; those too many are overwritten by the next.
      alignas(32) std::uint8_t samples[kRowLanes];
      hn::Store(samples_of(v[i]), d8, samples);
      for (int b = 0; b < kGroupBlocks; ++b) {
        std::memcpy(out + b * row.block.columns, samples + b * kBlockSide, kBlockSide);
      }
    }
  }
}

inline bool invert_row(const IdctRow& row, const QuantTable& quant) {
  Row weights[8];
  for (int i = 0; i < 8; ++i) {
    weights[i] =
        hn::LoadDup128(RowTag(), reinterpret_cast<const std::int16_t*>(quant.data()) + 8 * i);
  }
  if (row.block.columns == kBlockSide && row.block.rows == kBlockSide) {
    return invert_whole(row, weights);
  }
  invert_scaled(row, weights);
  return true;
}

inline int num_lanes() { return kGroupBlocks; }

}  // namespace penstock::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
