// The inner loop of JPEG decoding. A lookup yields one or two coefficients; the only branch that is
// not foreseen is the end of a block.
#include "penstock/decode/jpeg/entropy.h"

namespace penstock::decode {
namespace {

constexpr unsigned kLast = kBlockSize - 1;

// Places in a block, by position in the scan. A damaged run may lead behind the last coefficient:
// libjpeg then writes to the last one. The end of a block leads to the first, which is written
// after all others.
struct Places {
  std::array<std::uint8_t, 512> at{};

  explicit constexpr Places(int num_lanes) {
    for (std::size_t k = 0; k < at.size(); ++k) {
      const int place = k < kBlockSize ? kZigzag[k] : (k < kEndAdvance ? kBlockSize - 1 : 0);
      at[k] = static_cast<std::uint8_t>(place / kBlockSide * kBlockSide * num_lanes +
                                        place % kBlockSide);
    }
  }
};

constexpr Places kPlaces[] = {Places(1), Places(2), Places(4)};

// The value of the `size` bits at the top, as T.81, F.2.2.1 codes it. `size` is not 0.
std::int32_t extended(std::uint64_t bits, unsigned size) {
  const auto value = static_cast<std::int32_t>(bits >> (64 - size));
  const auto is_positive = static_cast<std::int32_t>(bits >> 63);
  return value + (is_positive - 1) * ((1 << size) - 1);
}

// What a lookup does not show in whole. Its bits are handed over and back by value, so that those
// of the loop stay in registers.
struct LongValue {
  unsigned length = 0;   // 0: there is no such code
  unsigned advance = 0;  // of AC
  std::int32_t value = 0;
};

// `bits` are at least 31.
[[gnu::noinline]] LongValue read_long_dc(const LongCodes& codes, std::uint64_t bits) {
  const auto [length, size] = find_symbol(codes, static_cast<unsigned>(bits >> 48));
  if (length == 0) return {};
  return {length + size, 0, size == 0 ? 0 : extended(bits << length, size)};
}

[[gnu::noinline]] LongValue read_long_ac(const LongCodes& codes, std::uint64_t bits) {
  const auto [length, symbol] = find_symbol(codes, static_cast<unsigned>(bits >> 48));
  if (length == 0) return {};
  const unsigned run = symbol >> 4, size = symbol & 15;
  if (size == 0) return {length, run == 15 ? 16 : kEndAdvance, 0};
  return {length + size, run + 1, extended(bits << length, size)};
}

// Leaves `bits` refilled.
[[gnu::always_inline]] inline LongValue read_escape(const AcTable& table, const AcEntry& entry,
                                                    BitReader& bits) {
  bits.refill();
  LongValue result;
  if (entry.first_length == kLongValue) [[likely]] {
    const auto size = static_cast<unsigned>(entry.first_value);
    result = {entry.length + size, entry.first_advance, extended(bits.bits << entry.length, size)};
  } else {
    result = read_long_ac(table.long_codes, bits.bits);
  }
  bits.drop(result.length);
  bits.refill();
  return result;
}

// Leaves `bits` refilled, but for one lookup.
[[gnu::always_inline]] inline bool read_dc(const DcTable& table, BitReader& bits,
                                           std::int32_t& value) {
  bits.refill();
  const std::uint32_t entry = table.entries[bits.lookup()];
  if (entry != 0) [[likely]] {
    bits.drop(entry & 0xff);
    value = static_cast<std::int16_t>(entry >> 16);
    return true;
  }
  const LongValue result = read_long_dc(table.long_codes, bits.bits);
  bits.drop(result.length);
  bits.refill();
  value = result.value;
  return result.length != 0;
}

// What fits into the bits of a refill besides a DC difference.
constexpr int kStepsPerRefill = 56 / kLookupBits - 1;

// The AC coefficients of a block.
[[gnu::always_inline]] inline bool read_block(const AcTable& table, const std::uint8_t* places,
                                              BitReader& bits, std::int16_t* block) {
  // An index, because its loads take no address arithmetic, which a pointer does.
  const AcEntry* entries = table.entries.data();
  std::size_t k = 0;
  for (;;) {
    std::size_t i = 0;
#pragma GCC unroll 8
    for (int step = 0; step < kStepsPerRefill; ++step) {
      i = bits.lookup();
      const std::size_t next = k + entries[i].advance;
      if (next >= kLast) [[unlikely]]
        goto last;
      bits.drop(entries[i].length);
      block[places[k + entries[i].first_advance]] = entries[i].first_value;
      block[places[next]] = entries[i].value;
      k = next;
    }
    bits.refill();
    continue;

  last:
    const AcEntry& entry = entries[i];
    if (entry.is_escape()) {
      const LongValue coefficient = read_escape(table, entry, bits);
      if (coefficient.length == 0) [[unlikely]]
        return false;
      k += coefficient.advance;
      block[places[k]] = static_cast<std::int16_t>(coefficient.value);
      if (k >= kLast) return true;
      continue;
    }
    // If the first one completes the block the second is of the next.
    const bool is_complete = k + entry.first_advance >= kLast;
    block[places[k + entry.first_advance]] = entry.first_value;
    block[is_complete ? 0 : places[k + entry.advance]] = entry.value;
    bits.drop(is_complete ? entry.first_length : entry.length);
    return true;
  }
}

[[gnu::always_inline]] inline bool skip_block(const AcTable& table, BitReader& bits) {
  unsigned k = 0;
  for (;;) {
    unsigned entry = 0;
#pragma GCC unroll 8
    for (int step = 0; step < kStepsPerRefill; ++step) {
      entry = table.skips[bits.lookup()];
      if (k + (entry >> 8) >= kLast) [[unlikely]]
        goto last;
      k += entry >> 8;
      bits.drop(entry & 0xff);
    }
    bits.refill();
    continue;

  last:
    if (k + (entry >> 8) - kEndAdvance < kLast) {
      bits.drop(entry & 0xff);
      return true;
    }
    // The block may be complete before all of them are read.
    const AcEntry& one = table.entries[bits.lookup()];
    if (one.is_escape()) {
      const LongValue coefficient = read_escape(table, one, bits);
      if (coefficient.length == 0) [[unlikely]]
        return false;
      k += coefficient.advance;
    } else {
      bits.drop(one.first_length);
      bits.refill();
      k += one.first_advance;
    }
    if (k >= kLast) return true;
  }
}

template <bool kKeeps>
bool read_mcus(const McuLayout& mcu, int num_mcus, const std::uint8_t* end, EntropyState& state,
               std::int16_t* coefficients) {
  BitReader bits = state.bits;
  const int lanes = mcu.coefficients.num_lanes;
  const std::uint8_t* places = kPlaces[lanes >> 1].at.data();
  std::int16_t unwanted[256];  // of a block that is passed over, as far apart as `places` are
  for (int i = 0; i < num_mcus; ++i) {
    for (int b = 0; b < mcu.num_blocks; ++b) {
      const McuBlock& block = mcu.blocks[static_cast<std::size_t>(b)];
      if (bits.next > end + sizeof bits.bits) [[unlikely]]
        return false;
      std::int32_t difference;
      if (!read_dc(*block.dc, bits, difference)) [[unlikely]]
        return false;
      std::int32_t& dc = state.dc[static_cast<std::size_t>(block.component)];
      dc = static_cast<std::int32_t>(static_cast<std::uint32_t>(dc) +
                                     static_cast<std::uint32_t>(difference));
      if (kKeeps && block.is_kept) {
        const int column = i * block.columns + block.column;
        std::int16_t* out = coefficients + block.row_begin +
                            mcu.coefficients.offset(static_cast<std::size_t>(column));
        if (!read_block(*block.ac, places, bits, out)) [[unlikely]]
          return false;
        out[0] = static_cast<std::int16_t>(dc);
      } else if (block.ac->has_skips) {
        if (!skip_block(*block.ac, bits)) [[unlikely]]
          return false;
      } else {
        if (!read_block(*block.ac, places, bits, unwanted)) [[unlikely]]
          return false;
      }
    }
  }
  state.bits = bits;
  return bits.next - bits.count / 8 <= end;
}

}  // namespace

bool decode_mcus(const McuLayout& mcu, int num_mcus, const std::uint8_t* end, EntropyState& state,
                 std::int16_t* coefficients) {
  return read_mcus<true>(mcu, num_mcus, end, state, coefficients);
}

bool skip_mcus(const McuLayout& mcu, int num_mcus, const std::uint8_t* end, EntropyState& state) {
  return read_mcus<false>(mcu, num_mcus, end, state, nullptr);
}

}  // namespace penstock::decode
