#include "penstock/storage/remote/hedging.h"

#include <gtest/gtest.h>

namespace penstock::storage {
namespace {

using namespace std::chrono_literals;

// `count` reads of 1000 bytes that begin after 1, 2, 3, ... ms and take 1 ms more.
void count_reads(Hedging& hedging, int count) {
  for (int i = 1; i <= count; ++i) {
    const auto first_byte = std::chrono::milliseconds(i);
    hedging.count({.num_bytes = 1000, .first_byte = first_byte, .total = first_byte + 1ms});
  }
}

TEST(HedgingTest, KnowsNothingAtFirst) {
  Hedging hedging(95);
  count_reads(hedging, 19);
  EXPECT_EQ(hedging.patience(1), 1000ms);
  count_reads(hedging, 1);
  EXPECT_EQ(hedging.patience(1), 50ms);
}

TEST(HedgingTest, TakesThePercentileOfTheTimeToTheFirstByte) {
  Hedging hedging(90);
  count_reads(hedging, 180);
  // 161 ms, or a little less: it is not measured after each read; and 2 µs for a byte.
  EXPECT_GE(hedging.patience(1), 150ms);
  EXPECT_LE(hedging.patience(1), 163ms);
}

TEST(HedgingTest, GivesLargeReadsMoreTime) {
  Hedging hedging(90);
  count_reads(hedging, 180);
  const auto small = hedging.patience(1'000);
  EXPECT_EQ(hedging.patience(1'001'000) - small, 2000ms);
}

TEST(HedgingTest, ForgetsOldReads) {
  Hedging hedging(95);
  for (int i = 0; i < 300; ++i) hedging.count({.num_bytes = 1, .first_byte = 9s, .total = 9s});
  EXPECT_EQ(hedging.patience(1), 9000ms);
  for (int i = 0; i < 300; ++i) hedging.count({.num_bytes = 1, .first_byte = 1s, .total = 1s});
  EXPECT_EQ(hedging.patience(1), 1000ms);
}

TEST(HedgingTest, AllowsOneInTwenty) {
  Hedging hedging(95);
  EXPECT_FALSE(hedging.may_hedge());
  int num_hedged = 0;
  for (int i = 0; i < 1000; ++i) {
    hedging.count_begun();
    num_hedged += hedging.may_hedge() ? 1 : 0;
  }
  EXPECT_EQ(num_hedged, 50);
}

TEST(HedgingTest, SavesUpOnlyAFew) {
  Hedging hedging(95);
  for (int i = 0; i < 10'000; ++i) hedging.count_begun();
  int num_hedged = 0;
  while (hedging.may_hedge()) ++num_hedged;
  EXPECT_EQ(num_hedged, 16);
}

}  // namespace
}  // namespace penstock::storage
