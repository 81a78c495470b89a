// Makes lookup tables of Huffman codes.
#include "penstock/decode/jpeg/huffman.h"

#include <algorithm>

namespace penstock::decode {
namespace {

constexpr unsigned kMask = kLookupSize - 1;

// One coefficient in a word: length in bits 0..7, advance in 8..15, value in 16..31. Of one that is
// not seen in whole the advance is kEscapeAdvance and the value its number of bits, with its own
// advance in bits 24..31; the length is that of the code, or 0.
using Single = std::uint32_t;
using Singles = std::array<Single, kLookupSize>;

constexpr Single single_of(unsigned length, unsigned advance, int value) {
  return length | advance << 8 | static_cast<Single>(value) << 16;
}
constexpr unsigned length_of(Single single) { return single & 0xff; }
constexpr unsigned advance_of(Single single) { return single >> 8 & 0xff; }
constexpr bool is_escape(Single single) { return advance_of(single) == kEscapeAdvance; }

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
  if (std::ranges::any_of(code.symbols, [](auto size) { return size > kMaxDcSize; })) return false;
  const std::size_t end = for_each_short_code(
      code, [&](std::size_t entry, std::size_t num_entries, unsigned length, unsigned size) {
        const std::size_t num_equal = num_entries >> size;
        for (std::size_t i = 0; i < num_entries; ++i) {
          const auto bits = static_cast<unsigned>(num_equal == 0 ? 0 : i / num_equal);
          const auto value = static_cast<std::uint16_t>(extended(bits, size));
          out.entries[entry + i] = num_equal == 0 ? 0 : (length + size) | value << 16;
        }
      });
  std::fill(out.entries.begin() + static_cast<std::ptrdiff_t>(end), out.entries.end(), 0);
  return true;
}

void fill_singles(std::size_t entry, std::size_t num_entries, unsigned length, unsigned symbol,
                  Singles& out) {
  const unsigned run = symbol >> 4, size = symbol & 15;
  Single* at = out.data() + entry;
  if (size == 0) {
    std::fill_n(at, num_entries, single_of(length, run == 15 ? 16 : kEndAdvance, 0));
    return;
  }
  const std::size_t num_equal = num_entries >> size;
  if (num_equal == 0) {
    const auto value = static_cast<int>(size | (run + 1) << 8);
    std::fill_n(at, num_entries, single_of(length, kEscapeAdvance, value));
    return;
  }
  for (unsigned bits = 0; bits < 1u << size; ++bits) {
    const Single single = single_of(length + size, run + 1, extended(bits, size));
    for (std::size_t i = 0; i < num_equal; ++i) *at++ = single;
  }
}

AcEntry escape_of(Single single) {
  return {.length = static_cast<std::uint8_t>(length_of(single)),
          .first_advance = static_cast<std::uint8_t>(single >> 24),
          .first_value = static_cast<std::int16_t>(single >> 16 & 0xff),
          .advance = kEscapeAdvance,
          .first_length = length_of(single) == 0 ? kLongCode : kLongValue};
}

AcEntry entry_of(Single first, Single second) {
  const unsigned length = length_of(first);
  const bool has_second = advance_of(first) < kEndAdvance && !is_escape(second) &&
                          length + length_of(second) <= kLookupBits;
  const Single more = has_second ? second : 0;
  const Single last = has_second ? second : first;
  return {.length = static_cast<std::uint8_t>(length + length_of(more)),
          .first_advance = static_cast<std::uint8_t>(advance_of(first)),
          .first_value = static_cast<std::int16_t>(first >> 16),
          .advance = static_cast<std::uint8_t>(advance_of(first) + advance_of(more)),
          .first_length = static_cast<std::uint8_t>(length),
          .value = static_cast<std::int16_t>(last >> 16)};
}

void make_entries(const Singles& singles, AcTable& out) {
  for (std::size_t i = 0; i < kLookupSize; ++i) {
    const Single first = singles[i];
    out.entries[i] = is_escape(first) ? escape_of(first)
                                      : entry_of(first, singles[(i << length_of(first)) & kMask]);
  }
}

// An entry, and behind it what the lookup sees of another one.
void make_skips(AcTable& table) {
  for (std::size_t i = 0; i < kLookupSize; ++i) {
    const AcEntry& first = table.entries[i];
    if (first.is_escape()) {
      table.skips[i] = kEscapeAdvance << 8;
      continue;
    }
    unsigned length = first.length, advance = first.advance;
    const AcEntry& second = table.entries[(i << length) & kMask];
    if (advance < kEndAdvance && !second.is_escape()) {
      const bool fits = length + second.length <= kLookupBits;
      const bool begins = length + second.first_length <= kLookupBits;
      advance += fits ? second.advance : (begins ? second.first_advance : 0);
      length += fits ? second.length : (begins ? second.first_length : 0);
    }
    table.skips[i] = static_cast<std::uint16_t>(length | advance << 8);
  }
  table.has_skips = true;
}

bool make_table(const HuffmanSpec& code, AcTable& out) {
  if (!make_long_codes(code, out.long_codes)) return false;
  Singles singles;
  const std::size_t end = for_each_short_code(
      code, [&](std::size_t entry, std::size_t num_entries, unsigned length, unsigned symbol) {
        fill_singles(entry, num_entries, length, symbol, singles);
      });
  std::fill(singles.begin() + static_cast<std::ptrdiff_t>(end), singles.end(),
            single_of(0, kEscapeAdvance, 0));
  make_entries(singles, out);
  out.has_skips = false;
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
Table* HuffmanTables::find(const HuffmanSpec& code, Kept<Table>& kept) {
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

const DcTable* HuffmanTables::dc(const HuffmanSpec& code) { return find(code, dc_); }

const AcTable* HuffmanTables::ac(const HuffmanSpec& code) { return find(code, ac_); }

const AcTable* HuffmanTables::ac_with_skips(const HuffmanSpec& code) {
  AcTable* table = find(code, ac_);
  if (table != nullptr && !table->has_skips) make_skips(*table);
  return table;
}

std::size_t HuffmanTables::size_bytes() const {
  return dc_.entries.size() * sizeof(Kept<DcTable>::Entry) +
         ac_.entries.size() * sizeof(Kept<AcTable>::Entry);
}

}  // namespace penstock::decode
