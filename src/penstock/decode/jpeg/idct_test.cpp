#include "penstock/decode/jpeg/idct.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "penstock/decode/jpeg/entropy.h"
#include "penstock/decode/jpeg/test_reference.h"

namespace penstock::decode {
namespace {

using Samples = std::array<std::uint8_t, kBlockSize>;

// --- The scalar code of libjpeg (jidctint.c), with sums in 64 bits. ---

std::int64_t rounded(std::int64_t value, int shift) {
  return (value + (std::int64_t{1} << (shift - 1))) >> shift;
}

// 1-D, of values `step` apart.
void transform_line(std::int64_t* v, int step, int shift) {
  constexpr std::int64_t k0298 = 2446, k0390 = 3196, k0541 = 4433, k0765 = 6270, k0899 = 7373,
                         k1175 = 9633, k1501 = 12299, k1847 = 15137, k1961 = 16069, k2053 = 16819,
                         k2562 = 20995, k3072 = 25172;
  const auto at = [&](int i) -> std::int64_t& { return v[i * step]; };
  const std::int64_t z1 = (at(2) + at(6)) * k0541;
  const std::int64_t t2 = z1 - at(6) * k1847, t3 = z1 + at(2) * k0765;
  const std::int64_t t0 = (at(0) + at(4)) * 8192, t1 = (at(0) - at(4)) * 8192;
  const std::int64_t t10 = t0 + t3, t13 = t0 - t3, t11 = t1 + t2, t12 = t1 - t2;

  const std::int64_t y1 = -(at(7) + at(1)) * k0899, y2 = -(at(5) + at(3)) * k2562;
  const std::int64_t y5 = (at(7) + at(3) + at(5) + at(1)) * k1175;
  const std::int64_t y3 = y5 - (at(7) + at(3)) * k1961, y4 = y5 - (at(5) + at(1)) * k0390;
  const std::int64_t o0 = at(7) * k0298 + y1 + y3, o1 = at(5) * k2053 + y2 + y4;
  const std::int64_t o2 = at(3) * k3072 + y2 + y3, o3 = at(1) * k1501 + y1 + y4;
  at(0) = rounded(t10 + o3, shift);
  at(7) = rounded(t10 - o3, shift);
  at(1) = rounded(t11 + o2, shift);
  at(6) = rounded(t11 - o2, shift);
  at(2) = rounded(t12 + o1, shift);
  at(5) = rounded(t12 - o1, shift);
  at(3) = rounded(t13 + o0, shift);
  at(4) = rounded(t13 - o0, shift);
}

Samples expected_samples(const Block& block, const QuantTable& quant) {
  std::array<std::int64_t, kBlockSize> v;
  for (std::size_t i = 0; i < kBlockSize; ++i) v[i] = std::int64_t{block[i]} * quant[i];
  for (int x = 0; x < 8; ++x) transform_line(v.data() + x, 8, 11);
  for (int y = 0; y < 8; ++y) transform_line(v.data() + 8 * y, 1, 18);
  Samples samples;
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    samples[i] = static_cast<std::uint8_t>(std::clamp<std::int64_t>(v[i] + 128, 0, 255));
  }
  return samples;
}

// --- Fewer samples: sums of the lowest frequencies, as T.81 has them for 8. ---

// 1-D, of values `step` apart.
void transform_scaled_line(std::int64_t* v, int step, int num, int shift) {
  std::array<std::int64_t, 8> out{};
  for (int n = 0; n < num; ++n) {
    for (int k = 0; k < num; ++k) {
      const double cosine = std::cos((2 * n + 1) * k * std::numbers::pi / (2 * num));
      const double amplitude = k == 0 ? std::numbers::sqrt2 / 4 : 0.5;
      out[static_cast<std::size_t>(n)] += v[k * step] * std::lround(amplitude * cosine * 8192);
    }
  }
  for (int n = 0; n < num; ++n) v[n * step] = rounded(out[static_cast<std::size_t>(n)], shift);
}

// In the first columns and rows of the answer.
Samples expected_scaled(const Block& block, const QuantTable& quant, BlockSamples size) {
  std::array<std::int64_t, kBlockSize> v;
  for (std::size_t i = 0; i < kBlockSize; ++i) v[i] = std::int64_t{block[i]} * quant[i];
  for (int x = 0; x < size.columns; ++x) transform_scaled_line(v.data() + x, 8, size.rows, 11);
  for (int y = 0; y < size.rows; ++y) transform_scaled_line(v.data() + 8 * y, 1, size.columns, 15);
  Samples samples{};
  for (int y = 0; y < size.rows; ++y) {
    for (int x = 0; x < size.columns; ++x) {
      const auto i = static_cast<std::size_t>(8 * y + x);
      samples[i] = static_cast<std::uint8_t>(std::clamp<std::int64_t>(v[i] + 128, 0, 255));
    }
  }
  return samples;
}

std::vector<BlockSamples> scaled_sizes() {
  std::vector<BlockSamples> sizes;
  for (int num = 1; num < 8; ++num) {
    sizes.push_back({num, num});
    if (num <= 4) sizes.push_back({2 * num, num});
    if (num <= 4) sizes.push_back({num, 2 * num});
    if (num <= 2) sizes.push_back({4 * num, num});
  }
  return sizes;
}

// --- The code under test. ---

struct Inverted {
  std::vector<Samples> blocks;
  bool is_exact = false;
  bool is_cleared = false;  // the coefficients
};

// In the first columns and rows of each block, if it is made smaller.
Inverted inverted(const std::vector<Block>& blocks, const QuantTable& quant,
                  BlockSamples size = {}) {
  const CoefficientLayout layout{num_idct_lanes()};
  const auto num_lanes = static_cast<std::size_t>(layout.num_lanes);
  const std::size_t num_places = (blocks.size() + num_lanes - 1) / num_lanes * num_lanes;
  std::vector<std::int16_t> coefficients(num_places * kBlockSize);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t k = 0; k < kBlockSize; ++k) {
      coefficients[layout.offset(i) + k / 8 * 8 * num_lanes + k % 8] = blocks[i][k];
    }
  }
  const std::size_t stride = num_places * kBlockSide + 16;
  std::vector<std::uint8_t> samples(stride * kBlockSide);
  Inverted result;
  result.is_exact = inverse_dct({.coefficients = coefficients.data(),
                                 .num_blocks = static_cast<int>(blocks.size()),
                                 .block = size,
                                 .samples = samples.data(),
                                 .stride = stride},
                                quant);
  result.is_cleared = std::ranges::all_of(coefficients, [](auto c) { return c == 0; });
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Samples& block = result.blocks.emplace_back();
    for (int y = 0; y < size.rows; ++y) {
      const std::uint8_t* row = samples.data() + static_cast<std::size_t>(y) * stride;
      std::copy_n(row + i * static_cast<std::size_t>(size.columns), size.columns,
                  block.begin() + 8 * y);
    }
  }
  return result;
}

QuantTable steps_of(std::uint16_t step) {
  QuantTable quant;
  quant.fill(step);
  return quant;
}

// Up to `most` in size; about every `rarity`-th is not zero.
Block random_block(int most, unsigned rarity, Rng& rng) {
  Block block{};
  for (auto& coefficient : block) {
    if (rng.below(rarity) != 0) continue;
    coefficient = static_cast<std::int16_t>(
        static_cast<int>(rng.below(static_cast<unsigned>(2 * most + 1))) - most);
  }
  return block;
}

TEST(InverseDctTest, DcAloneFillsTheBlock) {
  for_each_instruction_set([] {
    for (const auto& [dc, sample] : {std::pair{0, 128},
                                     {8, 129},
                                     {4, 129},
                                     {3, 128},
                                     {-4, 128},
                                     {-5, 127},
                                     {1016, 255},
                                     {1024, 255},
                                     {-1024, 0},
                                     {-2000, 0}}) {
      Block block{};
      block[0] = static_cast<std::int16_t>(dc);
      Samples expected;
      expected.fill(static_cast<std::uint8_t>(sample));
      const Inverted result = inverted({block}, steps_of(1));
      EXPECT_TRUE(result.is_exact);
      EXPECT_EQ(result.blocks[0], expected) << dc;
    }
  });
}

TEST(InverseDctTest, CoefficientsAreTimesTheirSteps) {
  for_each_instruction_set([] {
    Block block{}, multiplied{};
    QuantTable quant;
    for (std::size_t i = 0; i < kBlockSize; ++i) {
      quant[i] = static_cast<std::uint16_t>(1 + i);
      block[i] = static_cast<std::int16_t>(i % 3) - 1;
      multiplied[i] = static_cast<std::int16_t>(block[i] * quant[i]);
    }
    EXPECT_EQ(inverted({block}, quant).blocks, inverted({multiplied}, steps_of(1)).blocks);
  });
}

// So small that nothing overflows 16 bits on the way, which libjpeg's scalar code does not have.
TEST(InverseDctTest, RandomCoefficientsGiveTheSamplesOfLibjpegsScalarCode) {
  for_each_instruction_set([] {
    Rng rng({.seed = 4});
    for (const unsigned rarity : {1u, 2u, 8u, 30u}) {
      std::vector<Block> blocks;
      for (int i = 0; i < 250; ++i)
        blocks.push_back(random_block(i % 2 == 0 ? 20 : 100, rarity, rng));
      const Inverted result = inverted(blocks, steps_of(3));
      EXPECT_TRUE(result.is_exact);
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        ASSERT_EQ(result.blocks[i], expected_samples(blocks[i], steps_of(3))) << i;
      }
    }
  });
}

TEST(InverseDctTest, EachCoefficientAloneGivesTheSamplesOfLibjpegsScalarCode) {
  for_each_instruction_set([] {
    std::vector<Block> blocks;
    for (std::size_t k = 0; k < kBlockSize; ++k) {
      for (const std::int16_t value : {1, -1, 77, -500, 1023, -1024}) {
        blocks.emplace_back()[k] = value;
      }
    }
    const Inverted result = inverted(blocks, steps_of(2));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_EQ(result.blocks[i], expected_samples(blocks[i], steps_of(2))) << i;
    }
  });
}

TEST(InverseDctTest, AnyNumberOfBlocksIsTaken) {
  for_each_instruction_set([] {
    Rng rng({.seed = 5});
    std::vector<Block> blocks;
    for (int num = 1; num <= 9; ++num) {
      blocks.push_back(random_block(100, 3, rng));
      const Inverted result = inverted(blocks, steps_of(2));
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        ASSERT_EQ(result.blocks[i], expected_samples(blocks[i], steps_of(2)));
      }
    }
  });
}

TEST(InverseDctTest, FewerSamplesAreSumsOfTheLowestFrequencies) {
  for_each_instruction_set([] {
    Rng rng({.seed = 8});
    for (const BlockSamples& size : scaled_sizes()) {
      std::vector<Block> blocks;
      for (int num = 1; num <= 20; ++num) {
        blocks.push_back(random_block(num % 2 == 0 ? 20 : 100, 1 + rng.below(9), rng));
        const Inverted result = inverted(blocks, steps_of(3), size);
        EXPECT_TRUE(result.is_exact);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
          ASSERT_EQ(result.blocks[i], expected_scaled(blocks[i], steps_of(3), size))
              << size.columns << "x" << size.rows << ", block " << i << " of " << num;
        }
      }
    }
  });
}

TEST(InverseDctTest, CoefficientsAreZeroAfterwards) {
  for_each_instruction_set([] {
    Rng rng({.seed = 6});
    const std::vector<Block> blocks(5, random_block(1000, 1, rng));
    for (const BlockSamples& size : scaled_sizes()) {
      EXPECT_TRUE(inverted(blocks, steps_of(1), size).is_cleared) << size.columns;
    }
    EXPECT_TRUE(inverted(blocks, steps_of(1)).is_cleared);
    EXPECT_TRUE(inverted(blocks, steps_of(65535)).is_cleared);
  });
}

TEST(InverseDctTest, AFirstRowThatOverflowsIsNotExact) {
  for_each_instruction_set([] {
    for (const auto& [value, is_exact] :
         {std::pair{8191, true}, {8192, false}, {-8192, true}, {-8193, false}}) {
      for (const std::size_t place : {0, 7}) {
        Block block{};
        block[place] = static_cast<std::int16_t>(value);
        EXPECT_EQ(inverted({block}, steps_of(1)).is_exact, is_exact) << value;
        EXPECT_EQ(inverted({Block{}, Block{}, block}, steps_of(1)).is_exact, is_exact) << value;
      }
    }
  });
}

// What overflows, overflows as in libjpeg-turbo, unless it is said not to be exact.
TEST(InverseDctTest, ExtremeCoefficientsGiveTheSamplesOfLibjpegTurbo) {
  Rng rng({.seed = 7});
  int num_exact = 0;
  for (int round = 0; round < 400; ++round) {
    QuantTable quant;
    for (auto& step : quant) {
      step = static_cast<std::uint16_t>(round % 2 == 0 ? 1 + rng.below(65535) : 1 + rng.below(64));
    }
    // The first row decides whether it is exact.
    for (std::size_t i = 0; i < 8; ++i) quant[i] = static_cast<std::uint16_t>(1 + rng.below(8));
    Block block = random_block(1023, 1 + rng.below(20), rng);
    if (round % 5 == 0) std::ranges::fill(block, std::int16_t{1023});
    const Pixels expected = reference_pixels(encode_coefficients({block}, quant), JCS_GRAYSCALE);
    for_each_instruction_set([&] {
      const Inverted result = inverted({block}, quant);
      if (!result.is_exact) return;
      ++num_exact;
      ASSERT_TRUE(std::ranges::equal(result.blocks[0], expected.values)) << round;
    });
  }
  EXPECT_GT(num_exact, 200);
}

}  // namespace
}  // namespace penstock::decode
