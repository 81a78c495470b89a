// From the bits of a scan to coefficients.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "penstock/decode/jpeg/huffman.h"

namespace penstock::decode {

// Reads bits, first ones first, from bytes without stuffing. kSlack bytes behind the last one must
// be readable; whether they were read is seen by position_bits().
struct BitReader {
  // More than one block can take: 64 symbols of 16 bits with 15 more.
  static constexpr std::size_t kSlack = 512;

  const std::uint8_t* next = nullptr;  // the first byte of which no bit is in `bits`
  std::uint64_t bits = 0;              // at the top
  unsigned count = 0;                  // of valid bits

  static BitReader at(const std::uint8_t* begin, unsigned bit) {
    BitReader reader{begin};
    reader.refill();
    reader.drop(bit);
    return reader;
  }

  // At least 56 bits are valid then.
  void refill() {
    std::uint64_t word;
    __builtin_memcpy(&word, next, sizeof word);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    bits |= word >> count;
    next += (63 - count) >> 3;
    count |= 56;
  }

  void drop(unsigned num) {
    bits <<= num;
    count -= num;
  }

  std::size_t lookup() const { return bits >> (64 - kLookupBits); }

  // From `begin` to the next bit.
  std::uint64_t position_bits(const std::uint8_t* begin) const {
    return static_cast<std::uint64_t>(next - begin) * 8 - count;
  }
};

// Coefficients of neighbouring blocks lie so that a vector holds the same row of kLanes of them:
// row by row, in each row block by block.
struct CoefficientLayout {
  int num_lanes = 1;  // blocks that lie side by side: 1, 2 or 4

  // Of the first coefficient of block `i` of a row.
  std::size_t offset(std::size_t i) const {
    const std::size_t in_group = i & (static_cast<std::size_t>(num_lanes) - 1);
    return (i - in_group) * kBlockSize + in_group * kBlockSide;
  }
};

// What an MCU is made of, in the order of the scan.
struct McuBlock {
  const DcTable* dc = nullptr;
  const AcTable* ac = nullptr;
  int component = 0;
  int columns = 1;  // of the component, in an MCU
  int column = 0;   // of the block among them
  std::size_t row_begin =
      0;                // where the blocks of this row of the component begin in the coefficients
  bool is_kept = true;  // otherwise its coefficients are passed over
};

struct McuLayout {
  static constexpr int kMaxBlocks = 6;
  std::array<McuBlock, kMaxBlocks> blocks;
  int num_blocks = 0;
  CoefficientLayout coefficients;
};

// What carries over from one MCU to the next.
struct EntropyState {
  BitReader bits;
  std::array<std::int32_t, 3> dc{};
};

// Reads `num_mcus` MCUs into `coefficients`, which are all zero before. False if the bits are not
// of the code, or if reading went past `end`, of what follows which kSlack bytes must be readable.
bool decode_mcus(const McuLayout& mcu, int num_mcus, const std::uint8_t* end, EntropyState& state,
                 std::int16_t* coefficients);

// The same without coefficients.
bool skip_mcus(const McuLayout& mcu, int num_mcus, const std::uint8_t* end, EntropyState& state);

}  // namespace penstock::decode
