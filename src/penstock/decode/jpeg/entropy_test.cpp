#include "penstock/decode/jpeg/entropy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "penstock/decode/jpeg/test_huffman.h"
#include "penstock/decode/jpeg/test_reference.h"
#include "penstock/decode/jpeg/test_scan.h"

namespace penstock::decode {
namespace {

// DC: "0" no difference, "10" two bits. 16 bits: "1100000000000000", 11 bits more.
const HuffmanSpec kDcCode = spec_of({{1, 0}, {2, 2}, {16, 11}});
// AC: "0" end, "10" the next, one bit, "110" 15 zeros and then one bit, "1110" the next, 10 bits,
// "11110" 16 zeros, 14 bits "11111000000000" one zero and one bit.
const HuffmanSpec kAcCode =
    spec_of({{1, 0x00}, {2, 0x01}, {3, 0xf1}, {4, 0x0a}, {5, 0xf0}, {14, 0x11}});

// MCUs of one block, from bits as text: '0' and '1', the rest is for the reader.
class HandMade {
 public:
  explicit HandMade(std::string_view text) {
    for (const char c : text) {
      if (c != '0' && c != '1') continue;
      if (num_bits_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() |= static_cast<std::uint8_t>((c - '0') << (7 - num_bits_ % 8));
      ++num_bits_;
    }
    size_bytes_ = bytes_.size();
    bytes_.resize(size_bytes_ + BitReader::kSlack);
    state = {BitReader::at(bytes_.data(), 0), {}};
    layout.num_blocks = 1;
    layout.blocks[0] = {.dc = tables_.dc(kDcCode), .ac = tables_.ac(kAcCode)};
  }

  const std::uint8_t* end() const { return bytes_.data() + size_bytes_; }
  std::size_t position() const { return state.bits.position_bits(bytes_.data()); }
  std::size_t num_bits() const { return num_bits_; }

  bool decode(int num_mcus) {
    coefficients.assign(static_cast<std::size_t>(num_mcus) * kBlockSize, 0);
    return decode_mcus(layout, num_mcus, end(), state, coefficients.data());
  }
  bool skip(int num_mcus) { return skip_mcus(layout, num_mcus, end(), state); }

  // Of block `i`, in the order of the scan.
  int coefficient(std::size_t i, std::size_t k) const {
    return coefficients[i * kBlockSize + kZigzag[k]];
  }

  McuLayout layout;
  EntropyState state;
  std::vector<std::int16_t> coefficients;

 private:
  HuffmanTables tables_;
  std::vector<std::uint8_t> bytes_;
  std::size_t num_bits_ = 0;
  std::size_t size_bytes_ = 0;
};

std::vector<int> nonzero_places(const HandMade& made, std::size_t block) {
  std::vector<int> places;
  for (std::size_t k = 0; k < kBlockSize; ++k) {
    if (made.coefficient(block, k) != 0) places.push_back(static_cast<int>(k));
  }
  return places;
}

// --- Blocks by hand. ---

TEST(EntropyTest, CoefficientsComeInTheOrderOfTheScan) {
  HandMade made("10 11  10 1  10 0  1110 1000000001  0");
  ASSERT_TRUE(made.decode(1));
  EXPECT_EQ(nonzero_places(made, 0), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(made.coefficient(0, 0), 3);
  EXPECT_EQ(made.coefficient(0, 1), 1);
  EXPECT_EQ(made.coefficient(0, 2), -1);
  EXPECT_EQ(made.coefficient(0, 3), 513);
  EXPECT_EQ(made.position(), made.num_bits());
}

TEST(EntropyTest, DcAddsUpFromBlockToBlock) {
  HandMade made("10 11 0  10 11 0  10 00 0  0 0");
  ASSERT_TRUE(made.decode(4));
  EXPECT_EQ(made.coefficient(0, 0), 3);
  EXPECT_EQ(made.coefficient(1, 0), 6);
  EXPECT_EQ(made.coefficient(2, 0), 3);
  EXPECT_EQ(made.coefficient(3, 0), 3);
  EXPECT_EQ(made.state.dc[0], 3);
}

TEST(EntropyTest, EachComponentHasItsOwnDc) {
  HandMade made("10 11 0  10 10 0  10 00 0");
  made.layout.num_blocks = 3;
  for (std::size_t i = 0; i < 3; ++i) {
    made.layout.blocks[i] = made.layout.blocks[0];
    made.layout.blocks[i].component = static_cast<int>(i);
    made.layout.blocks[i].row_begin = i * kBlockSize;
  }
  made.coefficients.assign(3 * kBlockSize, 0);
  ASSERT_TRUE(decode_mcus(made.layout, 1, made.end(), made.state, made.coefficients.data()));
  EXPECT_EQ(made.state.dc, (std::array<std::int32_t, 3>{3, 2, -3}));
}

TEST(EntropyTest, CodesLongerThanALookupAreRead) {
  HandMade made("1100000000000000 10000000001  11111000000000 1  0");
  ASSERT_TRUE(made.decode(1));
  EXPECT_EQ(made.coefficient(0, 0), 1025);
  EXPECT_EQ(nonzero_places(made, 0), (std::vector<int>{0, 2}));
  EXPECT_EQ(made.position(), made.num_bits());
}

TEST(EntropyTest, RunsOfSixteenZerosAddUp) {
  HandMade made("0  11110 11110 10 1  0");
  ASSERT_TRUE(made.decode(1));
  EXPECT_EQ(nonzero_places(made, 0), (std::vector<int>{33}));
}

TEST(EntropyTest, ABlockThatIsFullHasNoEnd) {
  // 3 x 16 zeros, 14 single ones, and one that is the last; then an empty block.
  std::string text = "0 11110 11110 11110";
  for (int i = 0; i < 15; ++i) text += " 10 1";
  HandMade made(text + "  0 0");
  ASSERT_TRUE(made.decode(2));
  EXPECT_EQ(made.coefficient(0, 63), 1);
  EXPECT_EQ(made.position(), made.num_bits());
  EXPECT_TRUE(nonzero_places(made, 1).empty());
}

// One lookup shows the last coefficient of a block and what looks like one more.
TEST(EntropyTest, WhatFollowsTheLastCoefficientIsOfTheNextBlock) {
  std::string text = "0 11110 11110 11110";
  for (int i = 0; i < 15; ++i) text += " 10 1";
  HandMade made(text + "  10 11 0");
  ASSERT_TRUE(made.decode(2));
  EXPECT_EQ(made.coefficient(0, 0), 0);
  EXPECT_EQ(made.coefficient(0, 63), 1);
  EXPECT_EQ(made.coefficient(1, 0), 3);
}

TEST(EntropyTest, ARunBeyondTheBlockEndsAtItsLastCoefficient) {
  HandMade made("0  11110 11110 11110 110 1  10 11 0");
  ASSERT_TRUE(made.decode(2));
  EXPECT_EQ(nonzero_places(made, 0), (std::vector<int>{63}));
  EXPECT_EQ(made.coefficient(1, 0), 3);
  EXPECT_EQ(made.position(), made.num_bits());
}

TEST(EntropyTest, ZerosBeyondTheBlockEndIt) {
  HandMade made("0  11110 11110 11110 11110  10 11 0");
  ASSERT_TRUE(made.decode(2));
  EXPECT_TRUE(nonzero_places(made, 0).empty());
  EXPECT_EQ(made.coefficient(1, 0), 3);
}

TEST(EntropyTest, BlocksLieSideBySideAsTheLayoutSays) {
  HandMade made("10 11  10 1 0  10 11 0");
  made.layout.coefficients.num_lanes = 2;
  ASSERT_TRUE(made.decode(2));
  EXPECT_EQ(made.coefficients[0], 3);
  EXPECT_EQ(made.coefficients[1], 1);
  EXPECT_EQ(made.coefficients[8], 6);
}

TEST(EntropyTest, BlocksThatAreNotKeptLeaveNoCoefficients) {
  HandMade made("10 11  10 1 0");
  made.layout.blocks[0].is_kept = false;
  ASSERT_TRUE(made.decode(1));
  EXPECT_TRUE(nonzero_places(made, 0).empty());
  EXPECT_EQ(made.state.dc[0], 3);
  EXPECT_EQ(made.position(), made.num_bits());
}

TEST(CoefficientLayoutTest, GroupsFollowEachOther) {
  constexpr CoefficientLayout kPairs{.num_lanes = 2};
  EXPECT_EQ(kPairs.offset(0), 0u);
  EXPECT_EQ(kPairs.offset(1), 8u);
  EXPECT_EQ(kPairs.offset(2), 128u);
  EXPECT_EQ(kPairs.offset(3), 136u);
}

// --- Damage. ---

TEST(EntropyTest, BitsThatAreNoCodeAreRefused) {
  for (const char* text : {"111 00000 00000000", "0 111111 00000000", "0 10 1 11111000000001 0"}) {
    HandMade made(text);
    EXPECT_FALSE(made.decode(1)) << text;
    EXPECT_EQ(made.position(), 0u);
    EXPECT_FALSE(made.skip(1)) << text;
    EXPECT_EQ(made.position(), 0u);
  }
}

TEST(EntropyTest, TheLastBitMayBeUsed) {
  HandMade made("10 11  10 1  0");
  EXPECT_EQ(made.num_bits(), 8u);
  EXPECT_TRUE(made.decode(1));
}

// Behind the end there are zeros, which are good codes.
TEST(EntropyTest, BitsBehindTheEndAreNotUsed) {
  HandMade made("10 11  10 1  0");
  EXPECT_FALSE(made.decode(2));
  HandMade skipped("10 11  10 1  0");
  EXPECT_FALSE(skipped.skip(2));
  HandMade cut("10 11  10 1  10");
  EXPECT_TRUE(cut.decode(1));  // the byte is filled up
  HandMade value("10 11  1110 10");
  EXPECT_FALSE(value.decode(1));
}

TEST(EntropyTest, ManyBlocksBehindTheEndStopEarly) {
  HandMade made("0");
  EXPECT_FALSE(made.skip(1 << 30));
}

// --- Skipping. ---

bool ends_alike(const McuLayout& layout, int num_mcus, const EntropyState& begin,
                const std::uint8_t* end) {
  EntropyState decoded = begin, skipped = begin;
  std::vector<std::int16_t> coefficients;
  for (int i = 0; i < num_mcus; ++i) {
    coefficients.assign(McuLayout::kMaxBlocks * kBlockSize, 0);
    const bool is_decoded = decode_mcus(layout, 1, end, decoded, coefficients.data());
    if (skip_mcus(layout, 1, end, skipped) != is_decoded) return false;
    if (!is_decoded) return true;
    const auto* origin = begin.bits.next;
    if (decoded.bits.position_bits(origin) != skipped.bits.position_bits(origin)) return false;
    if (decoded.dc != skipped.dc) return false;
  }
  return true;
}

TEST(EntropyTest, SkippingEndsWhereDecodingDoes) {
  for (const int quality : {1, 30, 75, 100}) {
    for (const bool optimises : {false, true}) {
      const Encoded bytes =
          encode_reference(busy_image({120, 90}, 3),
                           {.quality = quality, .columns = 2, .rows = 2, .optimises = optimises});
      const OpenScan scan(bytes);
      EXPECT_TRUE(ends_alike(scan.layout, scan.num_mcus(), scan.begin(), scan.end()))
          << quality << optimises;
    }
  }
}

TEST(EntropyTest, SkippingEndsWhereDecodingDoesInRandomBits) {
  const Encoded bytes = encode_reference(busy_image({16, 16}, 3), {.columns = 2, .rows = 2});
  OpenScan scan(bytes);
  Rng rng({.seed = 2});
  for (int round = 0; round < 300; ++round) {
    scan.size_bytes = 2000;
    scan.plain.assign(scan.size_bytes + BitReader::kSlack, 0);
    for (std::size_t i = 0; i < scan.size_bytes; ++i) {
      scan.plain[i] = static_cast<std::uint8_t>(rng.below(256));
    }
    ASSERT_TRUE(ends_alike(scan.layout, 1000, scan.begin(), scan.end())) << round;
  }
}

TEST(EntropyTest, SkippingManyEqualsSkippingOneByOne) {
  const Encoded bytes = encode_reference(busy_image({120, 90}, 3), {.columns = 2});
  const OpenScan scan(bytes);
  EntropyState at_once = scan.begin(), one_by_one = scan.begin();
  ASSERT_TRUE(skip_mcus(scan.layout, scan.num_mcus(), scan.end(), at_once));
  for (int i = 0; i < scan.num_mcus(); ++i) {
    ASSERT_TRUE(skip_mcus(scan.layout, 1, scan.end(), one_by_one));
  }
  EXPECT_EQ(at_once.bits.position_bits(scan.plain.data()),
            one_by_one.bits.position_bits(scan.plain.data()));
  EXPECT_EQ(at_once.dc, one_by_one.dc);
  EXPECT_EQ((at_once.bits.position_bits(scan.plain.data()) + 7) / 8, scan.size_bytes);
}

}  // namespace
}  // namespace penstock::decode
