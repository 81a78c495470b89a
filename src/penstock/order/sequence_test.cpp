#include "penstock/order/sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace penstock::order {
namespace {

using testing::Each;
using testing::ElementsAre;

Order order_of(std::vector<std::uint64_t> shard_sizes, const OrderOptions& options = {}) {
  return *make_order(std::move(shard_sizes), options);
}

Sequence sequence_of(std::vector<Part> parts, const SequenceOptions& options = {}) {
  return *make_sequence(std::move(parts), options);
}

std::vector<Pick> picks(const Sequence& sequence, std::uint32_t epoch) {
  const EpochSequence order = sequence.epoch(epoch);
  std::vector<Pick> out;
  for (std::uint64_t i = 0; i < sequence.size(); ++i) out.push_back(order.pick_at(i));
  return out;
}

std::vector<std::uint64_t> samples(const Sequence& sequence, std::uint32_t epoch) {
  std::vector<std::uint64_t> out;
  for (const Pick& pick : picks(sequence, epoch)) out.push_back(pick.sample);
  return out;
}

TEST(SequenceTest, IsTheOrderItselfForOnePart) {
  const Order order = order_of({40, 60}, {.shuffle = Shuffle::kWindow, .window = 16, .lanes = 4});
  const Sequence sequence = sequence_of({{order}});
  const EpochOrder epoch = order.epoch(3);
  ASSERT_EQ(sequence.size(), 100);
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(sequence.epoch(3).pick_at(i), (Pick{epoch.sample_at(i), 3}));
  }
}

TEST(SequenceTest, SkipsAndTakes) {
  EXPECT_THAT(samples(sequence_of({{order_of({10})}}, {.skip = 3, .take = 4}), 5),
              ElementsAre(3, 4, 5, 6));
}

TEST(SequenceTest, TakesNoMoreThanThereIs) {
  EXPECT_THAT(samples(sequence_of({{order_of({4})}}, {.skip = 3, .take = 9}), 0), ElementsAre(3));
  EXPECT_EQ(sequence_of({{order_of({4})}}, {.skip = 9}).size(), 0);
}

TEST(SequenceTest, RepeatsWithAPassForEachRound) {
  const Sequence sequence = sequence_of({{order_of({2})}}, {.repeat = 3});
  EXPECT_THAT(picks(sequence, 1),
              ElementsAre(Pick{0, 3}, Pick{1, 3}, Pick{0, 4}, Pick{1, 4}, Pick{0, 5}, Pick{1, 5}));
}

TEST(SequenceTest, ShufflesEveryRoundAnew) {
  const Sequence sequence =
      sequence_of({{order_of({50}, {.shuffle = Shuffle::kGlobal})}}, {.repeat = 2});
  const std::vector<std::uint64_t> order = samples(sequence, 0);
  EXPECT_NE(std::vector(order.begin(), order.begin() + 50),
            std::vector(order.begin() + 50, order.end()));
}

TEST(SequenceTest, MixesInExactProportions) {
  const Sequence sequence = sequence_of({{order_of({700}), 0.7}, {order_of({600}), 0.3}});
  ASSERT_EQ(sequence.size(), 1000);
  std::uint64_t num_first = 0;
  const EpochSequence epoch = sequence.epoch(0);
  for (std::uint64_t i = 0; i < sequence.size(); ++i) {
    if (epoch.pick_at(i).sample < 700) ++num_first;
    EXPECT_NEAR(static_cast<double>(num_first), 0.7 * static_cast<double>(i + 1), 1.0);
  }
  EXPECT_EQ(num_first, 700);
}

TEST(SequenceTest, GoesOnWithTheLargerPartInTheNextEpoch) {
  const Sequence sequence = sequence_of({{order_of({2}), 1}, {order_of({6}), 1}});
  EXPECT_THAT(picks(sequence, 0), ElementsAre(Pick{0, 0}, Pick{2, 0}, Pick{1, 0}));
  EXPECT_THAT(picks(sequence, 1), ElementsAre(Pick{3, 0}, Pick{0, 1}, Pick{4, 0}));
  EXPECT_THAT(picks(sequence, 4), ElementsAre(Pick{0, 3}, Pick{2, 1}, Pick{1, 3}));
}

TEST(SequenceTest, MixesUntilAllAreGoneThrough) {
  const Sequence sequence =
      sequence_of({{order_of({2}), 1}, {order_of({6}), 1}}, {.until = Until::kAll});
  std::set<std::uint64_t> seen;
  for (const std::uint64_t sample : samples(sequence, 0)) seen.insert(sample);
  EXPECT_EQ(seen.size(), 8);
  EXPECT_EQ(sequence.size(), 12);
}

TEST(SequenceTest, DealsEveryPositionOfManyPartsOnce) {
  const std::vector<double> weights = {0.5, 0.1, 0.25, 0.15};
  const Dealer dealer(weights);
  std::vector<std::uint64_t> counts(weights.size());
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const Dealer::Turn turn = dealer.turn_at(i);
    EXPECT_EQ(turn.number, counts[turn.part]++);
    EXPECT_EQ(dealer.counts(i + 1), counts);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      EXPECT_NEAR(static_cast<double>(counts[k]), weights[k] * static_cast<double>(i + 1), 2.5);
    }
  }
}

TEST(SequenceTest, RejectsAWeightThatIsNotPositive) {
  const auto sequence = make_sequence({{order_of({2}), 0}, {order_of({2}), 1}}, {});
  EXPECT_EQ(sequence.status().message(), "weight is 0, expected a number above 0");
}

TEST(SubstituteTest, ComesFromTheSameWindowEachOnce) {
  const Order order =
      order_of({400, 600}, {.shuffle = Shuffle::kWindow, .window = 80, .lanes = 4, .seed = 3});
  const EpochOrder epoch = order.epoch(0);
  const std::uint64_t position = 500;
  std::set<std::uint64_t> positions;
  // A window of 20 records lies within 20 rows of 4 positions.
  for (std::uint64_t attempt = 1; attempt < 20; ++attempt) {
    const std::uint64_t other = epoch.substitute(position, attempt);
    EXPECT_NE(other, position);
    EXPECT_EQ(other % 4, position % 4);
    EXPECT_LT(other < position ? position - other : other - position, 80);
    positions.insert(other);
  }
  EXPECT_EQ(positions.size(), 19);
}

TEST(SubstituteTest, LeavesTheWindowWhenItIsUsedUp) {
  const Order order = order_of({100}, {.shuffle = Shuffle::kWindow, .window = 4, .lanes = 4});
  const EpochOrder epoch = order.epoch(0);
  EXPECT_EQ(epoch.substitute(10, 1), 11);
  EXPECT_EQ(epoch.substitute(99, 2), 1);
}

TEST(SubstituteTest, IsAnyOtherPositionOfAGlobalShuffle) {
  const EpochOrder epoch = order_of({10}, {.shuffle = Shuffle::kGlobal}).epoch(0);
  std::set<std::uint64_t> positions;
  for (std::uint64_t attempt = 1; attempt < 10; ++attempt) {
    positions.insert(epoch.substitute(7, attempt));
  }
  EXPECT_EQ(positions.size(), 9);
  EXPECT_FALSE(positions.contains(7));
}

TEST(SubstituteTest, StaysInThePartOfAMix) {
  const Sequence sequence = sequence_of({{order_of({700}), 0.7}, {order_of({300}), 0.3}});
  const EpochSequence epoch = sequence.epoch(0);
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(epoch.pick_at(i).sample < 700, epoch.substitute(i, 1).sample < 700);
    EXPECT_NE(epoch.pick_at(i).sample, epoch.substitute(i, 1).sample);
  }
}

}  // namespace
}  // namespace penstock::order
