#include "penstock/decode/jpeg/huffman.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "penstock/decode/jpeg/test_huffman.h"

namespace penstock::decode {
namespace {

// The entry that the first bits, as text, lead to; the bits behind them are zero.
std::size_t lookup_of(std::string_view bits) {
  std::size_t index = 0;
  for (const char bit : bits) index = index << 1 | static_cast<std::size_t>(bit == '1');
  return index << (kLookupBits - bits.size());
}

std::pair<int, int> dc_entry(const DcTable& table, std::string_view bits) {
  const std::uint32_t entry = table.entries[lookup_of(bits)];
  return {static_cast<int>(entry & 0xff), static_cast<std::int16_t>(entry >> 16)};
}

// --- DC. ---

// 0: no difference, 10: 2 bits, 110: 9 bits.
const HuffmanSpec kDcCode = spec_of({{1, 0}, {2, 2}, {3, 9}});

TEST(DcTableTest, AnEntryHasLengthAndDifference) {
  HuffmanTables tables;
  const DcTable& table = *tables.dc(kDcCode);
  EXPECT_EQ(dc_entry(table, "0"), std::pair(1, 0));
  EXPECT_EQ(dc_entry(table, "0111111111"), std::pair(1, 0));
  EXPECT_EQ(dc_entry(table, "1000"), std::pair(4, -3));
  EXPECT_EQ(dc_entry(table, "1001"), std::pair(4, -2));
  EXPECT_EQ(dc_entry(table, "1010"), std::pair(4, 2));
  EXPECT_EQ(dc_entry(table, "1011"), std::pair(4, 3));
}

TEST(DcTableTest, WhatALookupDoesNotSeeInWholeIsZero) {
  HuffmanTables tables;
  const DcTable& table = *tables.dc(kDcCode);
  EXPECT_EQ(table.entries[lookup_of("110")], 0u);
  EXPECT_EQ(table.entries[lookup_of("111")], 0u);
}

TEST(DcTableTest, DifferencesOfMoreThan15BitsAreRefused) {
  HuffmanTables tables;
  EXPECT_NE(tables.dc(spec_of({{1, 15}})), nullptr);
  EXPECT_EQ(tables.dc(spec_of({{1, 16}})), nullptr);
  EXPECT_EQ(tables.dc(spec_of({{1, 255}})), nullptr);
  EXPECT_EQ(tables.dc(spec_of({{1, 3}, {16, 16}})), nullptr);
}

// --- AC. ---

// 0: end, 10: the next of 1 bit, 110: 15 zeros and one of 9 bits, 1110: 16 zeros.
const HuffmanSpec kAcCode = spec_of({{1, 0x00}, {2, 0x01}, {3, 0xf9}, {4, 0xf0}});

struct Seen {
  int length, first_advance, first_value, advance, first_length, value;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen ac_entry(const AcTable& table, std::string_view bits) {
  const AcEntry& entry = table.entries[lookup_of(bits)];
  return {entry.length,  entry.first_advance, entry.first_value,
          entry.advance, entry.first_length,  entry.value};
}

TEST(AcTableTest, AnEntryHasTwoCoefficients) {
  HuffmanTables tables;
  const AcTable& table = *tables.ac(kAcCode);
  EXPECT_EQ(ac_entry(table, "101100"), (Seen{6, 1, 1, 2, 3, -1}));
  EXPECT_EQ(ac_entry(table, "100101"), (Seen{6, 1, -1, 2, 3, 1}));
}

TEST(AcTableTest, TheSecondMayBeTheEndOfTheBlock) {
  HuffmanTables tables;
  EXPECT_EQ(ac_entry(*tables.ac(kAcCode), "1010"), (Seen{4, 1, 1, 1 + kEndAdvance, 3, 0}));
}

TEST(AcTableTest, NothingFollowsTheEndOfTheBlock) {
  HuffmanTables tables;
  EXPECT_EQ(ac_entry(*tables.ac(kAcCode), "0101"), (Seen{1, kEndAdvance, 0, kEndAdvance, 1, 0}));
}

TEST(AcTableTest, SixteenZerosAdvanceAsFar) {
  HuffmanTables tables;
  EXPECT_EQ(ac_entry(*tables.ac(kAcCode), "1110101"), (Seen{7, 16, 0, 17, 4, 1}));
}

TEST(AcTableTest, ASecondThatIsNotSeenInWholeIsLeftOut) {
  HuffmanTables tables;
  EXPECT_EQ(ac_entry(*tables.ac(kAcCode), "101110"), (Seen{3, 1, 1, 1, 3, 1}));
}

TEST(AcTableTest, AFirstWithALongValueTellsItsCode) {
  HuffmanTables tables;
  EXPECT_EQ(ac_entry(*tables.ac(kAcCode), "110"), (Seen{3, 16, 9, kEscapeAdvance, kLongValue, 0}));
}

TEST(AcTableTest, AnUnknownCodeIsLong) {
  HuffmanTables tables;
  EXPECT_EQ(ac_entry(*tables.ac(kAcCode), "1111"), (Seen{0, 0, 0, kEscapeAdvance, kLongCode, 0}));
}

TEST(AcTableTest, OtherRunsWithoutAValueEndTheBlock) {
  HuffmanTables tables;
  const AcTable& table = *tables.ac(spec_of({{1, 0x50}}));
  EXPECT_EQ(ac_entry(table, "0"), (Seen{1, kEndAdvance, 0, kEndAdvance, 1, 0}));
}

TEST(AcTableTest, ASkipPassesAllCoefficientsThatALookupShows) {
  HuffmanTables tables;
  const AcTable& table = *tables.ac_with_skips(kAcCode);
  EXPECT_EQ(table.skips[lookup_of("1011001011")], 9 | 3 << 8);
  EXPECT_EQ(table.skips[lookup_of("1011000")], 7 | (2 + kEndAdvance) << 8);
  EXPECT_EQ(table.skips[lookup_of("0101101")], 1 | kEndAdvance << 8);
  EXPECT_EQ(table.skips[lookup_of("110")], kEscapeAdvance << 8);
}

// --- Codes longer than a lookup. ---

TEST(LongCodesTest, SymbolsOfAllLengthsAreFound) {
  HuffmanTables tables;
  // 0, 10, 1100, 110100000000, 110100000001, 1101000000100000.
  const LongCodes& codes =
      tables.ac(spec_of({{1, 5}, {2, 6}, {4, 7}, {12, 8}, {12, 9}, {16, 10}}))->long_codes;
  const auto find = [&](unsigned bits) {
    const CodedSymbol found = find_symbol(codes, bits);
    return std::pair(found.length, found.symbol);
  };
  EXPECT_EQ(find(0b0111111111111111), std::pair(1u, 5u));
  EXPECT_EQ(find(0b1000000000000000), std::pair(2u, 6u));
  EXPECT_EQ(find(0b1100111111111111), std::pair(4u, 7u));
  EXPECT_EQ(find(0b1101000000000000), std::pair(12u, 8u));
  EXPECT_EQ(find(0b1101000000011111), std::pair(12u, 9u));
  EXPECT_EQ(find(0b1101000000100000), std::pair(16u, 10u));
  EXPECT_EQ(find(0b1101000000100001), std::pair(0u, 0u));
  EXPECT_EQ(find(0b1111111111111111), std::pair(0u, 0u));
}

TEST(LongCodesTest, AnEmptyCodeHasNoSymbols) {
  HuffmanTables tables;
  EXPECT_EQ(find_symbol(tables.ac(HuffmanSpec())->long_codes, 0).length, 0u);
}

// --- Which codes are allowed. ---

TEST(HuffmanTablesTest, MoreCodesThanALengthHasAreRefused) {
  HuffmanTables tables;
  EXPECT_EQ(tables.ac(spec_of({{1, 0}, {1, 1}, {1, 2}})), nullptr);
  EXPECT_EQ(tables.dc(spec_of({{1, 0}, {2, 1}, {2, 2}, {2, 3}})), nullptr);
}

TEST(HuffmanTablesTest, ACodeOfAllOnesIsRefused) {
  HuffmanTables tables;
  EXPECT_EQ(tables.ac(spec_of({{1, 0}, {1, 1}})), nullptr);
  EXPECT_EQ(tables.ac(spec_of({{1, 0}, {2, 1}, {2, 2}})), nullptr);
  EXPECT_NE(tables.ac(spec_of({{1, 0}, {2, 1}, {3, 2}})), nullptr);
}

// --- What is kept. ---

HuffmanSpec numbered(std::uint8_t number) { return spec_of({{1, number}}); }

TEST(HuffmanTablesTest, ATableIsMadeOnce) {
  HuffmanTables tables;
  const DcTable* dc = tables.dc(numbered(1));
  const AcTable* ac = tables.ac(numbered(1));
  const std::size_t size_bytes = tables.size_bytes();
  EXPECT_EQ(tables.dc(numbered(1)), dc);
  EXPECT_EQ(tables.ac(numbered(1)), ac);
  EXPECT_EQ(tables.size_bytes(), size_bytes);
}

TEST(HuffmanTablesTest, ATableIsValidDuringTheNextSevenCalls) {
  HuffmanTables tables;
  const DcTable* first = tables.dc(numbered(1));
  const auto entries = first->entries;
  for (std::uint8_t number = 2; number <= 8; ++number) (void)tables.dc(numbered(number));
  EXPECT_EQ(first->entries, entries);
  EXPECT_EQ(tables.dc(numbered(1)), first);
}

TEST(HuffmanTablesTest, TheOneNotUsedForLongestGoesFirst) {
  HuffmanTables tables;
  const DcTable* first = tables.dc(numbered(1));
  const DcTable* second = tables.dc(numbered(2));
  for (std::uint8_t number = 3; number <= 8; ++number) (void)tables.dc(numbered(number));
  (void)tables.dc(numbered(1));
  const std::size_t size_bytes = tables.size_bytes();
  EXPECT_EQ(tables.dc(numbered(9)), second);  // in its memory
  EXPECT_EQ(tables.dc(numbered(1)), first);
  EXPECT_EQ(tables.size_bytes(), size_bytes);
}

TEST(HuffmanTablesTest, AReusedTableHasNothingOfTheOneBefore) {
  HuffmanTables tables;
  for (std::uint8_t number = 1; number <= 8; ++number) {
    (void)tables.ac(spec_of({{1, number}, {2, 1}, {12, 2}}));
  }
  const AcTable& reused = *tables.ac_with_skips(kAcCode);
  HuffmanTables fresh;
  const AcTable& expected = *fresh.ac_with_skips(kAcCode);
  EXPECT_EQ(reused.skips, expected.skips);
  for (std::size_t i = 0; i < kLookupSize; ++i) {
    EXPECT_EQ(reused.entries[i].first_value, expected.entries[i].first_value);
    EXPECT_EQ(reused.entries[i].advance, expected.entries[i].advance);
  }
  EXPECT_EQ(reused.long_codes.ends, expected.long_codes.ends);
}

TEST(HuffmanTablesTest, AnInvalidCodeIsRefusedAgain) {
  HuffmanTables tables;
  const HuffmanSpec invalid = spec_of({{1, 0}, {1, 1}});
  EXPECT_EQ(tables.dc(invalid), nullptr);
  EXPECT_EQ(tables.dc(invalid), nullptr);
  EXPECT_EQ(tables.ac(invalid), nullptr);
  EXPECT_EQ(tables.ac(invalid), nullptr);
}

}  // namespace
}  // namespace penstock::decode
