// Makes lookup tables of Huffman codes.
#include "penstock/decode/jpeg/huffman.h"

#include <algorithm>

namespace penstock::decode {
namespace {

constexpr unsigned kMask = kLookupSize - 1;

// One coefficient: length, advance, and value or number of bits.
struct Single {
  std::uint8_t length = 0;
  std::uint8_t advance = 0;  // kEscapeAdvance: not all of it is seen
  std::int16_t value = 0;
  std::uint8_t run = 0;  // of an escape, its own advance
};

// Codes of each length must not be more than there can be, and none may be all ones.
bool make_long_codes(const HuffmanSpec& code, LongCodes& out) {
  std::uint32_t next = 0;
  std::int32_t place = 0;
  for (std::size_t length = 1; length <= 16; ++length) {
    const std::uint32_t count = code.counts[length];
    out.offsets[length] = place - static_cast<std::int32_t>(next);
    next += count;
    place += static_cast<std::int32_t>(count);
    if (count > 0 && next > (1u << length) - 1) return false;
    out.ends[length] = next << (16 - length);
    next <<= 1;
  }
  out.symbols = code.symbols;
  return true;
}

// The value of `size` bits (T.81, F.2.2.1).
std::int16_t extended(unsigned bits, unsigned size) {
  if (size == 0) return 0;
  const bool is_negative = (bits >> (size - 1)) == 0;
  return static_cast<std::int16_t>(static_cast<int>(bits) - (is_negative ? (1 << size) - 1 : 0));
}

// Calls fill(first entry, their number, length of the code, symbol) for every code that a lookup
// sees, in order. Returns the first entry behind them.
template <class Fill>
std::size_t for_each_short_code(const HuffmanSpec& code, Fill fill) {
  std::size_t entry = 0, place = 0;
  for (unsigned length = 1; length <= kLookupBits; ++length) {
    const std::size_t num_entries = kLookupSize >> length;
    for (unsigned i = 0; i < code.counts[length]; ++i) {
      fill(entry, num_entries, length, code.symbols[place++]);
      entry += num_entries;
    }
  }
  return entry;
}

bool make_table(const HuffmanSpec& code, DcTable& out) {
  constexpr unsigned kMaxDcSize = 15;
  if (!make_long_codes(code, out.long_codes)) return false;
  bool is_valid = true;
  const std::size_t end = for_each_short_code(
      code, [&](std::size_t entry, std::size_t num_entries, unsigned length, unsigned size) {
        is_valid &= size <= kMaxDcSize;
        const std::size_t num_equal = num_entries >> size;
        for (std::size_t i = 0; i < num_entries; ++i) {
          const auto bits = static_cast<unsigned>(num_equal == 0 ? 0 : i / num_equal);
          const auto value = static_cast<std::uint16_t>(extended(bits, size));
          out.entries[entry + i] = num_equal == 0 ? 0 : (length + size) | value << 16;
        }
      });
  std::fill(out.entries.begin() + static_cast<std::ptrdiff_t>(end), out.entries.end(), 0);
  return is_valid && std::ranges::all_of(code.symbols, [](auto s) { return s <= kMaxDcSize; });
}

using Singles = std::array<Single, kLookupSize>;

void fill_singles(std::size_t entry, std::size_t num_entries, unsigned length, unsigned symbol,
                  Singles& out) {
  const unsigned run = symbol >> 4, size = symbol & 15;
  const auto first = out.begin() + static_cast<std::ptrdiff_t>(entry);
  const auto advance = static_cast<std::uint8_t>(run + 1);
  const auto code_length = static_cast<std::uint8_t>(length);
  if (size == 0) {
    const Single single{code_length, run == 15 ? advance : std::uint8_t{kEndAdvance}, 0, 0};
    std::fill_n(first, num_entries, single);
    return;
  }
  const std::size_t num_equal = num_entries >> size;
  if (num_equal == 0) {
    const Single single{code_length, kEscapeAdvance, static_cast<std::int16_t>(size), advance};
    std::fill_n(first, num_entries, single);
    return;
  }
  const auto whole_length = static_cast<std::uint8_t>(length + size);
  auto at = first;
  for (unsigned bits = 0; bits < 1u << size; ++bits) {
    at = std::fill_n(at, num_equal, Single{whole_length, advance, extended(bits, size), 0});
  }
}

AcEntry entry_of(const Single& first, const Single& second, bool has_second) {
  return {.length = static_cast<std::uint8_t>(first.length + (has_second ? second.length : 0)),
          .first_advance = first.advance,
          .first_value = first.value,
          .advance = static_cast<std::uint8_t>(first.advance + (has_second ? second.advance : 0)),
          .first_length = first.length,
          .value = has_second ? second.value : first.value};
}

AcEntry escape_of(const Single& single) {
  return {.length = single.length,
          .first_advance = single.run,
          .first_value = single.value,
          .advance = kEscapeAdvance,
          .first_length = single.length == 0 ? kLongCode : kLongValue};
}

// Whether `second` lies wholly in the bits that `used` of them leave.
bool fits_behind(unsigned used, const Single& second) {
  return second.advance != kEscapeAdvance && used + second.length <= kLookupBits;
}

void make_entries(const Singles& singles, AcTable& out) {
  for (std::size_t i = 0; i < kLookupSize; ++i) {
    const Single& first = singles[i];
    if (first.advance == kEscapeAdvance) {
      out.entries[i] = escape_of(first);
      out.skips[i] = kEscapeAdvance << 8;
      continue;
    }
    const Single& second = singles[(i << first.length) & kMask];
    const bool has_second = first.advance < kEndAdvance && fits_behind(first.length, second);
    const AcEntry entry = entry_of(first, second, has_second);
    out.entries[i] = entry;

    unsigned length = entry.length, advance = entry.advance;
    const Single& third = singles[(i << length) & kMask];
    if (has_second && advance < kEndAdvance && fits_behind(length, third)) {
      length += third.length;
      advance += third.advance;
    }
    out.skips[i] = static_cast<std::uint16_t>(length | advance << 8);
  }
}

bool make_table(const HuffmanSpec& code, AcTable& out) {
  if (!make_long_codes(code, out.long_codes)) return false;
  Singles singles;
  const std::size_t end = for_each_short_code(
      code, [&](std::size_t entry, std::size_t num_entries, unsigned length, unsigned symbol) {
        fill_singles(entry, num_entries, length, symbol, singles);
      });
  std::fill(singles.begin() + static_cast<std::ptrdiff_t>(end), singles.end(),
            Single{0, kEscapeAdvance, 0, 0});
  make_entries(singles, out);
  return true;
}

}  // namespace

CodedSymbol find_symbol(const LongCodes& codes, unsigned bits) {
  for (unsigned length = 1; length <= 16; ++length) {
    if (bits >= codes.ends[length]) continue;
    const int place = static_cast<int>(bits >> (16 - length)) + codes.offsets[length];
    return {length, codes.symbols[static_cast<std::uint8_t>(place)]};
  }
  return {};
}

template <class Table>
const Table* HuffmanTables::find(const HuffmanSpec& code, Kept<Table>& kept) {
  auto& entries = kept.entries;
  auto found =
      std::ranges::find_if(entries, [&](const auto& entry) { return entry->code == code; });
  const bool is_known = found != entries.end();
  if (!is_known && entries.size() < kNumKept) {
    entries.push_back(std::make_unique<typename Kept<Table>::Entry>());
  }
  if (!is_known) found = entries.end() - 1;
  std::rotate(entries.begin(), found, found + 1);
  auto& entry = *entries.front();
  if (is_known) return &entry.table;

  const bool is_valid = make_table(code, entry.table);
  entry.code = code;
  if (!is_valid) entry.code.counts[0] = 1;  // which no code has
  return is_valid ? &entry.table : nullptr;
}

template const DcTable* HuffmanTables::find(const HuffmanSpec&, Kept<DcTable>&);
template const AcTable* HuffmanTables::find(const HuffmanSpec&, Kept<AcTable>&);

std::size_t HuffmanTables::size_bytes() const {
  return dc_.entries.size() * sizeof(Kept<DcTable>::Entry) +
         ac_.entries.size() * sizeof(Kept<AcTable>::Entry);
}

}  // namespace penstock::decode
