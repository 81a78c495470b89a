// Huffman codes as lookup tables that yield whole coefficients: run, value and length at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "penstock/decode/jpeg/frame.h"

namespace penstock::decode {

// How many bits a lookup sees. Most tables are made for one image, so that their making counts too:
// 12 us for all of an image; with 11 bits 22 us, which only whole images make up for.
inline constexpr int kLookupBits = 10;
inline constexpr std::size_t kLookupSize = std::size_t{1} << kLookupBits;

// For codes longer than a lookup: canonical decoding, length by length (T.81, F.2.2.3).
struct LongCodes {
  // The first code behind those of each length, moved to the top of 16 bits, and what to add to a
  // code for its symbol's place.
  std::array<std::uint32_t, 17> ends{};
  std::array<std::int32_t, 17> offsets{};
  std::array<std::uint8_t, 256> symbols{};
};

struct CodedSymbol {
  unsigned length = 0;  // 0: there is no such code
  unsigned symbol = 0;
};

// The symbol at the beginning of 16 bits.
CodedSymbol find_symbol(const LongCodes& codes, unsigned bits);

// An entry: length in bits 0..7, the difference in 16..31. 0: the lookup does not see all of it.
struct DcTable {
  std::array<std::uint32_t, kLookupSize> entries;
  LongCodes long_codes;
};

// Coefficients are counted by how far they lie behind the one before. The end of a block lies so
// far that no coefficient does.
inline constexpr unsigned kEndAdvance = 128;
// The advance of an entry whose first coefficient the lookup does not see in whole; what it sees is
// told by first_length.
inline constexpr std::uint8_t kEscapeAdvance = 255;
inline constexpr std::uint8_t kLongCode = 0xff;  // not even its code
inline constexpr std::uint8_t kLongValue =
    0xfe;  // its code: first_advance is known, first_value is
           // how many bits follow it, length is that of the code

// One or two coefficients. A loop over them loads field by field, which costs less than taking a
// word apart.
struct alignas(8) AcEntry {
  std::uint8_t length = 0;  // of all that is there
  std::uint8_t first_advance = 0;
  std::int16_t first_value = 0;
  std::uint8_t advance = 0;       // up to the second (or the only) one
  std::uint8_t first_length = 0;  // or kLongCode, kLongValue
  std::int16_t value = 0;         // of the second (or the only) one

  bool is_escape() const { return advance == kEscapeAdvance; }
};

struct AcTable {
  std::array<AcEntry, kLookupSize> entries;
  LongCodes long_codes;
  // For passing over blocks, as many coefficients as fit: their length in bits 0..7, their advance
  // in 8..15. Only if has_skips.
  std::array<std::uint16_t, kLookupSize> skips;
  bool has_skips = false;
};

// Tables that were made for earlier images, of which the last few are kept: encoders that do not
// adapt their codes always use the same ones.
class HuffmanTables {
 public:
  // Null if the code is not one that T.81 allows. Valid during the next kNumKept - 1 calls.
  const DcTable* dc(const HuffmanSpec& code);
  const AcTable* ac(const HuffmanSpec& code);
  const AcTable* ac_with_skips(const HuffmanSpec& code);

  std::size_t size_bytes() const;

 private:
  static constexpr std::size_t kNumKept = 8;

  template <class Table>
  struct Kept {
    struct Entry {
      HuffmanSpec code;
      Table table;
    };
    std::vector<std::unique_ptr<Entry>> entries;  // the last one used first
  };

  template <class Table>
  static Table* find(const HuffmanSpec& code, Kept<Table>& kept);

  Kept<DcTable> dc_;
  Kept<AcTable> ac_;
};

}  // namespace penstock::decode
