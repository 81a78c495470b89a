#include "penstock/order/permute.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace penstock::order {
namespace {

std::vector<std::uint64_t> permuted(std::uint64_t n, std::uint64_t key) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t index = 0; index < n; ++index) out.push_back(permute(index, n, key));
  return out;
}

TEST(PermuteTest, ReachesEveryPlaceOnce) {
  for (std::uint64_t n = 1; n <= 600; ++n) {
    std::vector<int> hits(n);
    for (const std::uint64_t place : permuted(n, mix_bits(n))) {
      ASSERT_LT(place, n);
      ++hits[place];
    }
    EXPECT_EQ(hits, std::vector<int>(n, 1)) << n;
  }
}

TEST(PermuteTest, ReachesEveryPlaceOnceInALargeSet) {
  constexpr std::uint64_t n = (1 << 20) + 1;
  std::vector<bool> is_hit(n);
  for (std::uint64_t index = 0; index < n; ++index) is_hit[permute(index, n, 7)] = true;
  EXPECT_EQ(is_hit, std::vector<bool>(n, true));
}

TEST(PermuteTest, StaysInsideTheLargestSet) {
  constexpr std::uint64_t n = std::uint64_t{1} << 62;
  EXPECT_LT(permute(0, n, 1), n);
  EXPECT_LT(permute(n - 1, n, 1), n);
  EXPECT_NE(permute(0, n, 1), permute(n - 1, n, 1));
}

TEST(PermuteTest, OfOneIsTheIdentity) { EXPECT_EQ(permute(0, 1, 12345), 0u); }

// Chi-squared over the 120 permutations of five, 200 of each expected: mean 119, deviation 15.4.
TEST(PermuteTest, EveryPermutationOfFiveIsAsLikely) {
  std::map<std::vector<std::uint64_t>, int> counts;
  for (std::uint64_t key = 0; key < 120 * 200; ++key) ++counts[permuted(5, mix_bits(key + 1))];
  ASSERT_EQ(counts.size(), 120u);
  double chi_squared = 0;
  for (const auto& [places, count] : counts) chi_squared += (count - 200.0) * (count - 200.0) / 200;
  EXPECT_LT(chi_squared, 119 + 5 * 15.4);
}

// Chi-squared over the 4,830 pairs of places that two neighbours can go to, 100 of each expected:
// mean 4829, deviation 98.3.
TEST(PermuteTest, NeighboursGoAnywhere) {
  constexpr int n = 70;
  std::vector<int> counts(n * n);
  for (std::uint64_t key = 1; key <= 7000; ++key) {
    const auto places = permuted(n, mix_bits(key));
    for (int i = 0; i + 1 < n; ++i) ++counts[places[i] * n + places[i + 1]];
  }
  double chi_squared = 0;
  for (int i = 0; i < n * n; ++i) {
    if (i / n != i % n) chi_squared += (counts[i] - 100.0) * (counts[i] - 100.0) / 100;
  }
  EXPECT_LT(chi_squared, 4829 + 5 * 98.3);
}

TEST(ScaleHashTest, CoversTheRangeEvenly) {
  EXPECT_EQ(scale_hash(0, 10), 0u);
  EXPECT_EQ(scale_hash(std::uint64_t{1} << 63, 10), 5u);
  EXPECT_EQ(scale_hash(~std::uint64_t{0}, 10), 9u);
}

}  // namespace
}  // namespace penstock::order
