// The accurate integer inverse DCT of libjpeg (Loeffler, Ligtenberg and Moschytz, 1989), in the
// order of operations of libjpeg-turbo's SIMD code. Included once for each instruction set.
#if defined(PENSTOCK_DECODE_JPEG_IDCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_DECODE_JPEG_IDCT_INL_H_
#undef PENSTOCK_DECODE_JPEG_IDCT_INL_H_
#else
#define PENSTOCK_DECODE_JPEG_IDCT_INL_H_
#endif

#include <hwy/highway.h>

#include <cassert>
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

// The sum of each pair, times pairs of weights.
HWY_INLINE Wide weighted(Row pairs, Wide weights) {
  const WideTag d;
  Wide odd = hn::Zero(d);
  const Wide even =
      hn::ReorderWidenMulAccumulate(d, pairs, hn::BitCast(RowTag(), weights), hn::Zero(d), odd);
  return hn::RearrangeToOddPlusEven(even, odd);
}
HWY_INLINE WideRow weighted(const Pairs& pairs, std::int16_t ka, std::int16_t kb) {
  const Wide weights = hn::Set(WideTag(), weight_pair(ka, kb));
  return {weighted(pairs.low, weights), weighted(pairs.high, weights)};
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
HWY_INLINE WideRow shifted(const WideRow& wide) {
  return {hn::ShiftRight<kShift>(wide.low), hn::ShiftRight<kShift>(wide.high)};
}

HWY_INLINE Row packed(Wide a, Wide b) { return hn::ReorderDemote2To(RowTag(), a, b); }

// One pass over the columns of a block. Every output has t0 or t1 in it once, which carry the
// rounding.
template <int kShift>
HWY_INLINE void transform_columns(const Row* v, WideRow* out) {
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

  out[0] = shifted<kShift>(t10 + o3);
  out[7] = shifted<kShift>(t10 - o3);
  out[1] = shifted<kShift>(t11 + o2);
  out[6] = shifted<kShift>(t11 - o2);
  out[2] = shifted<kShift>(t12 + o1);
  out[5] = shifted<kShift>(t12 - o1);
  out[3] = shifted<kShift>(t13 + o0);
  out[4] = shifted<kShift>(t13 - o0);
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

using SampleTag = hn::Repartition<std::uint8_t, RowTag>;
using Samples = hn::Vec<SampleTag>;
constexpr int kGroupBlocks = kRowLanes / kBlockSide;

// Loads and dequantises kRows rows of a group of blocks, and sets all their coefficients to zero.
template <int kRows>
HWY_INLINE void take_group(std::int16_t* coefficients, const Row* weights, Row* v) {
  const RowTag d;
  for (int i = 0; i < 8; ++i) {
    if (i < kRows) v[i] = hn::Mul(hn::LoadU(d, coefficients + kRowLanes * i), weights[i]);
    hn::StoreU(hn::Zero(d), d, coefficients + kRowLanes * i);
  }
}

// From around 0 to 0..255, in lanes of 16 bits.
HWY_INLINE Row centred(Row values) {
  const RowTag d;
  const Row moved = hn::SaturatedAdd(values, hn::Set(d, 128));
  return hn::Min(hn::Max(moved, hn::Zero(d)), hn::Set(d, 255));
}

// Four columns of four rows as 16 samples of each block, row by row.
HWY_INLINE Samples sample_quad(Wide c0, Wide c1, Wide c2, Wide c3) {
  alignas(16) static constexpr std::uint8_t kByRows[16] = {0, 8,  1, 9,  2, 10, 3, 11,
                                                           4, 12, 5, 13, 6, 14, 7, 15};
  const SampleTag d;
  const Row low = centred(packed(c0, c1)), high = centred(packed(c2, c3));
  const Samples samples = hn::BitCast(d, hn::Or(low, hn::ShiftLeft<8>(high)));
  return hn::TableLookupBytes(samples, hn::LoadDup128(d, kByRows));
}

// Where the samples of a group of blocks go.
struct GroupTarget {
  std::uint8_t* samples;
  std::size_t stride;
};

// Rows `first` and on of the group, kWidth bytes of each. Those too many are overwritten by the
// next block.
template <int kColumns, int kRows, int kWidth>
HWY_INLINE void store_rows(Samples rows, int first, const GroupTarget& target) {
  alignas(32) std::uint8_t bytes[16 * kGroupBlocks];
  hn::Store(rows, SampleTag(), bytes);
  for (int i = 0; i < 16 / kWidth && first + i < kRows; ++i) {
    std::uint8_t* out = target.samples + static_cast<std::size_t>(first + i) * target.stride;
    for (int b = 0; b < kGroupBlocks; ++b) {
      std::memcpy(out + b * kColumns, bytes + 16 * b + kWidth * i, kWidth);
    }
  }
}

// Takes columns whose lanes are rows.
template <int kColumns, int kRows>
HWY_INLINE void store_samples(const WideRow* columns, const GroupTarget& target) {
  const auto quad = [&](int c, Wide WideRow::* half) HWY_ATTR {
    const auto column = [&](int i) HWY_ATTR { return columns[c + i < kColumns ? c + i : c].*half; };
    return sample_quad(column(0), column(1), column(2), column(3));
  };
  const hn::RepartitionToWide<hn::RepartitionToWide<SampleTag>> d32;
  const auto store_half = [&](int first, Wide WideRow::* half) HWY_ATTR {
    if constexpr (kColumns <= 4) {
      store_rows<kColumns, kRows, 4>(quad(0, half), first, target);
    } else {
      const auto left = hn::BitCast(d32, quad(0, half)), right = hn::BitCast(d32, quad(4, half));
      store_rows<kColumns, kRows, 8>(
          hn::BitCast(SampleTag(), hn::InterleaveLower(d32, left, right)), first, target);
      store_rows<kColumns, kRows, 8>(
          hn::BitCast(SampleTag(), hn::InterleaveUpper(d32, left, right)), first + 2, target);
    }
  };
  store_half(0, &WideRow::low);
  if constexpr (kRows > 4) store_half(4, &WideRow::high);
}

HWY_INLINE bool invert_whole(const IdctRow& row, const Row* weights) {
  const RowTag d;
  // libjpeg-turbo multiplies the first row by 4 in 16 bits, if the others are zero.
  constexpr std::int16_t kMaxExact = 32767 >> kPass1Bits;
  Row largest = hn::Zero(d), smallest = hn::Zero(d);
  for (int block = 0; block < row.num_blocks; block += kGroupBlocks) {
    Row v[8];
    WideRow wide[8];
    take_group<8>(row.coefficients + block * kBlockSize, weights, v);
    largest = hn::Max(largest, v[0]);
    smallest = hn::Min(smallest, v[0]);
    transform_columns<kConstBits - kPass1Bits>(v, wide);
    for (int i = 0; i < 8; ++i) v[i] = packed(wide[i].low, wide[i].high);
    transpose(v);
    transform_columns<kConstBits + kPass1Bits + 3>(v, wide);
    store_samples<8, 8>(wide, {row.samples + block * kBlockSide, row.stride});
  }
  return hn::AllFalse(d, hn::Or(hn::Gt(largest, hn::Set(d, kMaxExact)),
                                hn::Lt(smallest, hn::Set(d, -kMaxExact - 1))));
}

// Pairs of frequencies, as ScaledBasis has their weights.
struct Frequencies {
  Pairs pairs[4];
};

// One pass that makes kNum values of the lowest kNum of 8 frequencies: a value and its mirror image
// are the sum and the difference of what even and odd frequencies contribute.
template <int kShift, int kNum, bool kHasHigh>
HWY_INLINE void transform_scaled(const Frequencies& in, const ScaledBasis& basis, WideRow* out) {
  const WideTag d;
  const auto transform_half = [&](Row Pairs::* lanes, Wide WideRow::* half) HWY_ATTR {
    const auto sum = [&](int n, int pair) HWY_ATTR {
      return weighted(in.pairs[pair].*lanes, hn::Set(d, basis.weights[n][pair]));
    };
    const auto even_part = [&](int n) HWY_ATTR {
      const Wide even = hn::Add(sum(n, 0), hn::Set(d, 1 << (kShift - 1)));
      return kNum > 4 ? hn::Add(even, sum(n, 2)) : even;
    };
    for (int n = 0; n < kNum / 2; ++n) {
      const Wide even = even_part(n);
      const Wide odd = kNum > 5 ? hn::Add(sum(n, 1), sum(n, 3)) : sum(n, 1);
      out[n].*half = hn::ShiftRight<kShift>(hn::Add(even, odd));
      out[kNum - 1 - n].*half = hn::ShiftRight<kShift>(hn::Sub(even, odd));
    }
    // In the middle odd frequencies are zero.
    if constexpr (kNum % 2 == 1) out[kNum / 2].*half = hn::ShiftRight<kShift>(even_part(kNum / 2));
  };
  transform_half(&Pairs::low, &WideRow::low);
  if constexpr (kHasHigh) transform_half(&Pairs::high, &WideRow::high);
}

// From rows whose lanes are columns to columns, in pairs, whose lanes are rows.
template <int kColumns, int kRows>
HWY_INLINE void pair_columns(const WideRow* rows, Frequencies& out) {
  const auto pair_quad = [&](int first, Wide WideRow::* half, Row Pairs::* lanes,
                             Pairs* pairs) HWY_ATTR {
    const auto row = [&](int i)
                         HWY_ATTR { return rows[first + i < kRows ? first + i : first].*half; };
    Row a = packed(row(0), row(2)), b = packed(row(1), row(3));
    interleave<std::int16_t>(a, b);  // rows 0 and 1; rows 2 and 3
    interleave<std::int32_t>(a, b);  // the first two columns; the other two
    interleave<std::int16_t>(a, b);
    pairs[0].*lanes = a;
    pairs[1].*lanes = b;
  };
  pair_quad(0, &WideRow::low, &Pairs::low, out.pairs);
  if constexpr (kColumns > 4) pair_quad(0, &WideRow::high, &Pairs::low, out.pairs + 2);
  if constexpr (kRows > 4) pair_quad(4, &WideRow::low, &Pairs::high, out.pairs);
  if constexpr (kColumns > 4 && kRows > 4) {
    pair_quad(4, &WideRow::high, &Pairs::high, out.pairs + 2);
  }
}

template <int kColumns, int kRows>
void invert_scaled(const IdctRow& row, const Row* weights) {
  const ScaledBasis& columns = scaled_basis(kColumns);
  const ScaledBasis& rows = scaled_basis(kRows);
  const Row zero = hn::Zero(RowTag());
  for (int block = 0; block < row.num_blocks; block += kGroupBlocks) {
    Row v[8];
    take_group<kRows>(row.coefficients + block * kBlockSize, weights, v);
    const auto frequency = [&](int k) HWY_ATTR { return k < kRows ? v[k] : zero; };
    Frequencies in{{pairs_of(v[0], frequency(2)), pairs_of(frequency(1), frequency(3)),
                    pairs_of(frequency(4), frequency(6)), pairs_of(frequency(5), frequency(7))}};
    WideRow wide[8];
    transform_scaled<kConstBits - kPass1Bits, kRows, (kColumns > 4)>(in, rows, wide);
    pair_columns<kColumns, kRows>(wide, in);
    transform_scaled<kConstBits + kPass1Bits, kColumns, (kRows > 4)>(in, columns, wide);
    store_samples<kColumns, kRows>(wide, {row.samples + block * kColumns, row.stride});
  }
}

using InvertScaled = void (*)(const IdctRow& row, const Row* weights);

// Of the blocks that images in any usual chroma sampling are made of; see block_samples().
template <int kNum>
HWY_INLINE InvertScaled scaled_inverse(const BlockSamples& block) {
  const auto is = [&](int columns, int rows) {
    return block.columns == columns && block.rows == rows;
  };
  if (is(kNum, kNum)) return &invert_scaled<kNum, kNum>;
  if constexpr (kNum <= 4) {
    if (is(2 * kNum, kNum)) return &invert_scaled<2 * kNum, kNum>;
    if (is(kNum, 2 * kNum)) return &invert_scaled<kNum, 2 * kNum>;
  }
  if constexpr (kNum <= 2) {
    if (is(4 * kNum, kNum)) return &invert_scaled<4 * kNum, kNum>;
  }
  if constexpr (kNum > 1) return scaled_inverse<kNum - 1>(block);
  return nullptr;
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
  const InvertScaled invert = scaled_inverse<kBlockSide - 1>(row.block);
  assert(invert != nullptr);
  invert(row, weights);
  return true;
}

inline int num_lanes() { return kGroupBlocks; }

}  // namespace penstock::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
