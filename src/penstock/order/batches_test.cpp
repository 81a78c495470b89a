#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "penstock/order/order.h"

namespace penstock::order {
namespace {

using Positions = std::vector<std::uint64_t>;

Batches batches_of(std::uint64_t num_samples, const BatchOptions& options) {
  auto batches = make_batches(num_samples, options);
  EXPECT_TRUE(batches.ok()) << batches.status().message();
  return *std::move(batches);
}

Positions positions_of(const Batches& batches, std::uint64_t batch) {
  Positions positions;
  for (std::uint64_t i = 0; i < batches.size_of(batch); ++i) {
    positions.push_back(batches.position(batch, i));
  }
  return positions;
}

// Every batch of one rank.
std::vector<Positions> all_of(std::uint64_t num_samples, const BatchOptions& options) {
  const Batches batches = batches_of(num_samples, options);
  std::vector<Positions> out;
  for (std::uint64_t b = 0; b < batches.num_batches(); ++b) {
    out.push_back(positions_of(batches, b));
  }
  return out;
}

// The positions of every global batch, over all ranks, sorted.
std::vector<Positions> global_batches(std::uint64_t num_samples, BatchOptions options) {
  std::vector<Positions> out(batches_of(num_samples, options).num_batches());
  for (options.rank = 0; options.rank < options.world; ++options.rank) {
    const auto mine = all_of(num_samples, options);
    EXPECT_EQ(mine.size(), out.size());
    for (std::size_t b = 0; b < mine.size(); ++b) {
      out[b].insert(out[b].end(), mine[b].begin(), mine[b].end());
    }
  }
  for (Positions& batch : out) std::sort(batch.begin(), batch.end());
  return out;
}

std::map<std::uint64_t, int> counts_of(const std::vector<Positions>& batches) {
  std::map<std::uint64_t, int> counts;
  for (const Positions& batch : batches) {
    for (const std::uint64_t position : batch) ++counts[position];
  }
  return counts;
}

std::string message_of(std::uint64_t num_samples, const BatchOptions& options) {
  return std::string(make_batches(num_samples, options).status().message());
}

TEST(BatchesTest, DealsPositionsByRemainder) {
  EXPECT_EQ(all_of(8, {.batch_size = 2, .rank = 0, .world = 2}),
            (std::vector<Positions>{{0, 2}, {4, 6}}));
  EXPECT_EQ(all_of(8, {.batch_size = 2, .rank = 1, .world = 2}),
            (std::vector<Positions>{{1, 3}, {5, 7}}));
}

TEST(BatchesTest, DropLeavesTheRemainderOut) {
  EXPECT_EQ(all_of(7, {.batch_size = 3}), (std::vector<Positions>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(all_of(2, {.batch_size = 3}), std::vector<Positions>{});
}

TEST(BatchesTest, KeepEndsWithAShorterBatch) {
  EXPECT_EQ(all_of(7, {.batch_size = 3, .last = LastBatch::kKeep}),
            (std::vector<Positions>{{0, 1, 2}, {3, 4, 5}, {6}}));
}

TEST(BatchesTest, KeepGivesARankWithNothingAnEmptyBatch) {
  BatchOptions options{.batch_size = 2, .rank = 1, .world = 3, .last = LastBatch::kKeep};
  EXPECT_EQ(all_of(8, options), (std::vector<Positions>{{1, 4}, {7}}));
  options.rank = 2;
  EXPECT_EQ(all_of(8, options), (std::vector<Positions>{{2, 5}, {}}));
}

TEST(BatchesTest, WrapFillsFromTheBeginning) {
  EXPECT_EQ(all_of(7, {.batch_size = 3, .last = LastBatch::kWrap}),
            (std::vector<Positions>{{0, 1, 2}, {3, 4, 5}, {6, 0, 1}}));
}

TEST(BatchesTest, WrapGoesRoundAsOftenAsABatchNeeds) {
  EXPECT_EQ(all_of(2, {.batch_size = 5, .last = LastBatch::kWrap}),
            (std::vector<Positions>{{0, 1, 0, 1, 0}}));
}

TEST(BatchesTest, AFullLastBatchIsTheSameForEveryPolicy) {
  const std::vector<Positions> expected{{0, 1}, {2, 3}};
  EXPECT_EQ(all_of(4, {.batch_size = 2, .last = LastBatch::kDrop}), expected);
  EXPECT_EQ(all_of(4, {.batch_size = 2, .last = LastBatch::kKeep}), expected);
  EXPECT_EQ(all_of(4, {.batch_size = 2, .last = LastBatch::kWrap}), expected);
}

TEST(BatchesTest, AnEmptyEpochHasNoBatches) {
  EXPECT_EQ(batches_of(0, {.last = LastBatch::kKeep}).num_batches(), 0u);
  EXPECT_EQ(batches_of(0, {.last = LastBatch::kWrap}).num_batches(), 0u);
}

TEST(BatchesTest, GoesOnInTheMiddleOfAnEpoch) {
  const BatchOptions options{
      .batch_size = 2, .rank = 0, .world = 2, .last = LastBatch::kKeep, .first_position = 5};
  // Rank 0 goes on with the even positions, although the first batch begins at an odd one.
  EXPECT_EQ(all_of(11, options), (std::vector<Positions>{{6, 8}, {10}}));
}

TEST(BatchesTest, WrapAfterResumingFillsFromTheBeginningOfTheEpoch) {
  EXPECT_EQ(all_of(7, {.batch_size = 2, .last = LastBatch::kWrap, .first_position = 4}),
            (std::vector<Positions>{{4, 5}, {6, 0}}));
}

TEST(BatchesTest, NothingIsLeftAtTheEndOfAnEpoch) {
  EXPECT_EQ(batches_of(7, {.last = LastBatch::kKeep, .first_position = 7}).num_batches(), 0u);
}

TEST(BatchesTest, EndPositionIsWhereTheNextBatchBegins) {
  const Batches batches =
      batches_of(20, {.batch_size = 3, .world = 2, .last = LastBatch::kDrop, .first_position = 1});
  ASSERT_EQ(batches.num_batches(), 3u);
  EXPECT_EQ(batches.end_position(0), 7u);
  EXPECT_EQ(batches.end_position(1), 13u);
}

TEST(BatchesTest, EndPositionOfTheLastBatchIsTheEndOfTheEpoch) {
  EXPECT_EQ(batches_of(7, {.batch_size = 3, .last = LastBatch::kDrop}).end_position(1), 7u);
  EXPECT_EQ(batches_of(7, {.batch_size = 3, .last = LastBatch::kKeep}).end_position(2), 7u);
  EXPECT_EQ(batches_of(7, {.batch_size = 3, .last = LastBatch::kWrap}).end_position(2), 7u);
}

TEST(BatchesTest, TheGlobalBatchDoesNotDependOnTheNumberOfRanks) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t num_samples = random() % 500;
    const std::uint64_t first_position = random() % 3 == 0 ? random() % (num_samples + 1) : 0;
    const auto last = static_cast<LastBatch>(random() % 3);
    const auto alone = global_batches(
        num_samples, {.batch_size = 24, .last = last, .first_position = first_position});
    for (const std::uint32_t world : {2, 3, 4, 6, 8, 12, 24}) {
      ASSERT_EQ(global_batches(num_samples, {.batch_size = 24 / world,
                                             .world = world,
                                             .last = last,
                                             .first_position = first_position}),
                alone)
          << num_samples << " samples, world " << world;
    }
  }
}

TEST(BatchesTest, EachPolicyLeavesOutAndRepeatsWhatItSays) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t num_samples = 1 + random() % 200;
    const std::uint64_t batch_size = 1 + random() % 9;
    const std::uint32_t world = 1 + random() % 7;
    const std::uint64_t global_size = batch_size * world;
    const std::uint64_t tail = num_samples % global_size;
    BatchOptions options{.batch_size = batch_size, .world = world};

    options.last = LastBatch::kDrop;
    auto counts = counts_of(global_batches(num_samples, options));
    for (std::uint64_t p = 0; p < num_samples; ++p) {
      ASSERT_EQ(counts[p], p < num_samples - tail ? 1 : 0);
    }
    options.last = LastBatch::kKeep;
    counts = counts_of(global_batches(num_samples, options));
    for (std::uint64_t p = 0; p < num_samples; ++p) ASSERT_EQ(counts[p], 1);

    options.last = LastBatch::kWrap;
    counts = counts_of(global_batches(num_samples, options));
    const std::uint64_t filling = tail == 0 ? 0 : global_size - tail;
    for (std::uint64_t p = 0; p < num_samples; ++p) {
      const std::uint64_t repeats = filling / num_samples + (p < filling % num_samples ? 1 : 0);
      ASSERT_EQ(counts[p], static_cast<int>(1 + repeats));
    }
  }
}

TEST(BatchesTest, ShortLastBatchesDifferByAtMostOne) {
  for (std::uint64_t num_samples = 1; num_samples < 100; ++num_samples) {
    std::uint64_t smallest = 100, largest = 0;
    for (std::uint32_t rank = 0; rank < 5; ++rank) {
      const Batches batches = batches_of(
          num_samples, {.batch_size = 4, .rank = rank, .world = 5, .last = LastBatch::kKeep});
      const std::uint64_t size = batches.size_of(batches.num_batches() - 1);
      smallest = std::min(smallest, size);
      largest = std::max(largest, size);
    }
    EXPECT_LE(largest - smallest, 1u) << num_samples;
  }
}

// Resuming from any checkpoint, with any batch size and world, delivers the rest and no more.
TEST(BatchesTest, ResumingElsewhereDeliversTheRestExactlyOnce) {
  const Batches before = batches_of(101, {.batch_size = 4, .world = 3, .last = LastBatch::kKeep});
  for (std::uint64_t b = 0; b < before.num_batches(); ++b) {
    const std::uint64_t checkpoint = before.end_position(b);
    auto counts = counts_of(global_batches(
        101,
        {.batch_size = 5, .world = 2, .last = LastBatch::kKeep, .first_position = checkpoint}));
    for (std::uint64_t p = 0; p < 101; ++p) ASSERT_EQ(counts[p], p < checkpoint ? 0 : 1);
  }
}

// Where the number of ranks divides the number of lanes. One shard, so that a lane is a run of
// consecutive samples.
TEST(BatchesTest, ARankReadsOnlyItsOwnLanes) {
  constexpr std::uint64_t kNumSamples = 1003;
  constexpr std::uint64_t kLanes = 12;
  auto order = make_order({kNumSamples},
                          {.shuffle = Shuffle::kWindow, .window = 120, .lanes = kLanes, .seed = 1});
  ASSERT_TRUE(order.ok());
  const EpochOrder epoch = order->epoch(3);
  const auto lane_of = [](std::uint64_t sample) {
    std::uint64_t lane = 0;
    while ((lane + 1) * (kNumSamples / kLanes) + std::min(lane + 1, kNumSamples % kLanes) <= sample)
      ++lane;
    return lane;
  };
  for (const std::uint32_t world : {1, 2, 3, 4, 6, 12}) {
    for (std::uint32_t rank = 0; rank < world; ++rank) {
      const BatchOptions options{
          .batch_size = 5, .rank = rank, .world = world, .last = LastBatch::kKeep};
      for (const Positions& batch : all_of(kNumSamples, options)) {
        for (const std::uint64_t position : batch) {
          ASSERT_EQ(lane_of(epoch.sample_at(position)) % world, rank);
        }
      }
    }
  }
}

TEST(BatchesTest, RejectsARankOutsideTheWorld) {
  EXPECT_EQ(message_of(10, {.rank = 4, .world = 4}),
            "rank is 4, expected less than world, which is 4");
}

TEST(BatchesTest, RejectsAnEmptyWorld) {
  EXPECT_EQ(message_of(10, {.world = 0}), "world is 0, expected 1 or more");
}

TEST(BatchesTest, RejectsBatchesOfNothing) {
  EXPECT_EQ(message_of(10, {.batch_size = 0}), "batch_size is 0, expected 1 or more");
}

TEST(BatchesTest, RejectsAGlobalBatchThatOverflows) {
  EXPECT_EQ(message_of(10, {.batch_size = std::uint64_t{1} << 62, .world = 4}),
            "batch_size is 4611686018427387904, expected at most 1152921504606846976 with world 4");
}

TEST(BatchesTest, RejectsAStartBeyondTheEnd) {
  EXPECT_EQ(message_of(10, {.first_position = 11}),
            "first_position is 11, expected at most the number of samples, 10");
}

}  // namespace
}  // namespace penstock::order
