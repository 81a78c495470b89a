#include "penstock/deliver/entry_point_index.h"

#include <gtest/gtest.h>

#include "penstock/base/hash.h"

namespace penstock::deliver {
namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 30;

TEST(EntryPointIndexTest, FindsWhatWasInserted) {
  EntryPointIndex index(kPlenty);
  EXPECT_EQ(index.find(7), std::nullopt);
  EXPECT_TRUE(index.insert(7, {3, 100, 50}).is_in);
  EXPECT_TRUE(index.insert(0, {0, 24, 1}).is_in);
  EXPECT_EQ(index.find(7), (EntryPointSpot{3, 100, 50}));
  EXPECT_EQ(index.find(0), (EntryPointSpot{0, 24, 1}));
  EXPECT_EQ(index.find(8), std::nullopt);
}

TEST(EntryPointIndexTest, HoldsTheLargestNumbersThereMayBe) {
  EntryPointIndex index(kPlenty);
  const EntryPointSpot spot{EntryPointIndex::kMaxParts - 1, 0xffff'ffff, (1 << 20) - 1};
  EXPECT_TRUE(index.insert(~std::uint64_t{0}, spot).is_in);
  EXPECT_EQ(index.find(~std::uint64_t{0}), spot);
}

TEST(EntryPointIndexTest, TheLongerRecordStays) {
  EntryPointIndex index(kPlenty);
  index.insert(7, {0, 10, 50});
  EXPECT_FALSE(index.insert(7, {1, 20, 49}).is_in);
  EXPECT_EQ(index.find(7), (EntryPointSpot{0, 10, 50}));
  const auto longer = index.insert(7, {1, 20, 51});
  EXPECT_TRUE(longer.is_in);
  EXPECT_EQ(longer.before, (EntryPointSpot{0, 10, 50}));
  EXPECT_EQ(index.find(7), (EntryPointSpot{1, 20, 51}));
}

TEST(EntryPointIndexTest, OfTwoThatAreAsLongTheLastOneStays) {
  EntryPointIndex index(kPlenty);
  index.insert(7, {0, 10, 50});
  EXPECT_TRUE(index.insert(7, {1, 20, 50}).is_in);
  EXPECT_EQ(index.find(7), (EntryPointSpot{1, 20, 50}));
}

TEST(EntryPointIndexTest, ForgetsARecordAndTakesAShorterOne) {
  EntryPointIndex index(kPlenty);
  index.insert(7, {0, 10, 50});
  index.forget(7, {0, 11, 50});
  EXPECT_EQ(index.find(7), (EntryPointSpot{0, 10, 50}));
  index.forget(7, {0, 10, 50});
  EXPECT_EQ(index.find(7), std::nullopt);
  const auto shorter = index.insert(7, {1, 20, 5});
  EXPECT_TRUE(shorter.is_in);
  EXPECT_EQ(shorter.before, std::nullopt);
  EXPECT_EQ(index.find(7), (EntryPointSpot{1, 20, 5}));
}

TEST(EntryPointIndexTest, ManyTakeAboutTwentyBytesEach) {
  constexpr std::uint32_t kCount = 200'000;
  EntryPointIndex grown(kPlenty);
  EntryPointIndex reserved(kPlenty);
  reserved.reserve(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(grown.insert(mix_bits(i), {0, i, i % 1000 + 1}).is_in);
    ASSERT_TRUE(reserved.insert(mix_bits(i), {0, i, i % 1000 + 1}).is_in);
  }
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(grown.find(mix_bits(i)), (EntryPointSpot{0, i, i % 1000 + 1}));
  }
  EXPECT_LE(grown.memory_bytes(), EntryPointIndex::kBytesEach * kCount);
  EXPECT_LE(reserved.memory_bytes(), 21 * kCount);
}

TEST(EntryPointIndexTest, RefusesWhatItsMemoryDoesNotHold) {
  constexpr std::size_t kLimit = 64 << 10;
  EntryPointIndex index(kLimit);
  std::uint64_t num_in = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    if (index.insert(mix_bits(i), {0, 0, 1}).is_in) ++num_in;
    ASSERT_LE(index.memory_bytes(), kLimit);
  }
  EXPECT_GT(num_in, 2000u);
  EXPECT_LT(num_in, kLimit / 16);
}

}  // namespace
}  // namespace penstock::deliver
