#include "penstock/base/rng.h"

#include <gtest/gtest.h>

#include <set>

namespace penstock {
namespace {

using Block = std::array<std::uint32_t, 4>;

// The known-answer tests of the Random123 distribution (kat_vectors, philox 4x32 10).
TEST(RngTest, PhiloxMatchesTheReferenceVectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RngTest, SameKeyGivesSameNumbers) {
  Rng a({.seed = 7, .epoch = 1, .sample = 42, .op = 3});
  Rng b({.seed = 7, .epoch = 1, .sample = 42, .op = 3});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next_u32(), b.next_u32());
}

TEST(RngTest, EveryPartOfTheKeyMatters) {
  std::set<std::uint32_t> firsts;
  firsts.insert(Rng({.seed = 7, .epoch = 1, .sample = 42, .op = 3}).next_u32());
  firsts.insert(Rng({.seed = 8, .epoch = 1, .sample = 42, .op = 3}).next_u32());
  firsts.insert(Rng({.seed = 7, .epoch = 2, .sample = 42, .op = 3}).next_u32());
  firsts.insert(Rng({.seed = 7, .epoch = 1, .sample = 43, .op = 3}).next_u32());
  firsts.insert(Rng({.seed = 7, .epoch = 1, .sample = 42, .op = 4}).next_u32());
  EXPECT_EQ(firsts.size(), 5u);
}

TEST(RngTest, BelowStaysBelowAndReachesEveryValue) {
  Rng rng({.seed = 1});
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(rng.below(7));
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(*seen.rbegin(), 6u);
}

TEST(RngTest, UniformHasTheRightMean) {
  double sum = 0;
  for (std::uint64_t sample = 0; sample < 10'000; ++sample)
    sum += Rng({.sample = sample}).uniform();
  EXPECT_NEAR(sum / 10'000, 0.5, 0.01);
}

}  // namespace
}  // namespace penstock
