#include "penstock/order/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace penstock::order {
namespace {

using Samples = std::vector<std::uint64_t>;

Order order_of(std::vector<std::uint64_t> shard_sizes, const OrderOptions& options) {
  auto order = make_order(std::move(shard_sizes), options);
  EXPECT_TRUE(order.ok()) << order.status().message();
  return *std::move(order);
}

Samples samples_of(const EpochOrder& epoch) {
  Samples samples(epoch.size());
  for (std::uint64_t i = 0; i < epoch.size(); ++i) samples[i] = epoch.sample_at(i);
  return samples;
}

Samples counted(std::uint64_t n) {
  Samples samples(n);
  std::iota(samples.begin(), samples.end(), 0);
  return samples;
}

Samples sorted(Samples samples) {
  std::sort(samples.begin(), samples.end());
  return samples;
}

std::string message_of(std::vector<std::uint64_t> shard_sizes, const OrderOptions& options) {
  return std::string(make_order(std::move(shard_sizes), options).status().message());
}

struct Case {
  std::vector<std::uint64_t> shard_sizes;
  OrderOptions options;
  std::uint64_t num_samples = 0;
};

// A dataset and options as they come, edges more often than chance would have them.
Case random_case(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  Case out;
  const std::uint64_t num_shards = 1 + below(30);
  const std::uint64_t largest = 1 + below(below(4) == 0 ? 400 : 40);
  for (std::uint64_t i = 0; i < num_shards; ++i) {
    out.shard_sizes.push_back(below(5) == 0 ? 0 : below(largest + 1));
    out.num_samples += out.shard_sizes.back();
  }
  out.options = {.shuffle = below(8) == 0 ? Shuffle::kGlobal : Shuffle::kWindow,
                 .window = 1 + below(below(2) == 0 ? 20 : out.num_samples + 2),
                 .lanes = static_cast<std::uint32_t>(1 + below(below(3) == 0 ? 200 : 12)),
                 .seed = random()};
  return out;
}

TEST(OrderTest, NoShuffleIsTheIdentity) {
  const Order order = order_of({3, 0, 4}, {.shuffle = Shuffle::kNone, .seed = 5});
  EXPECT_EQ(order.size(), 7u);
  EXPECT_EQ(samples_of(order.epoch(0)), counted(7));
  EXPECT_EQ(samples_of(order.epoch(9)), counted(7));
}

TEST(OrderTest, EverySampleComesExactlyOnce) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Case c = random_case(random);
    const EpochOrder epoch = order_of(c.shard_sizes, c.options).epoch(i % 5);
    ASSERT_EQ(sorted(samples_of(epoch)), counted(c.num_samples))
        << "case " << i << ": window " << c.options.window << ", lanes " << c.options.lanes;
  }
}

TEST(OrderTest, EpochsHaveDifferentOrders) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 300; ++i) {
    Case c = random_case(random);
    c.shard_sizes.resize(10, 20);
    c.shard_sizes[0] += 100;
    c.options.window = std::max<std::uint64_t>(c.options.window, 10);
    const Order order = order_of(c.shard_sizes, c.options);
    EXPECT_NE(samples_of(order.epoch(0)), samples_of(order.epoch(1))) << i;
  }
}

TEST(OrderTest, SeedsHaveDifferentOrders) {
  const OrderOptions options{.shuffle = Shuffle::kWindow, .window = 20, .lanes = 4, .seed = 1};
  OrderOptions other = options;
  other.seed = 2;
  EXPECT_NE(samples_of(order_of({50, 50}, options).epoch(0)),
            samples_of(order_of({50, 50}, other).epoch(0)));
}

TEST(OrderTest, TheSameKeyGivesTheSameOrder) {
  const OrderOptions options{.shuffle = Shuffle::kWindow, .window = 20, .lanes = 4, .seed = 1};
  EXPECT_EQ(samples_of(order_of({50, 50}, options).epoch(3)),
            samples_of(order_of({50, 50}, options).epoch(3)));
}

TEST(OrderTest, AWindowThatHoldsEverythingIsGlobal) {
  const Order window = order_of({30, 70}, {.shuffle = Shuffle::kWindow, .window = 100, .seed = 3});
  const Order global = order_of({30, 70}, {.shuffle = Shuffle::kGlobal, .seed = 3});
  EXPECT_EQ(window.shuffle(), Shuffle::kGlobal);
  EXPECT_EQ(samples_of(window.epoch(2)), samples_of(global.epoch(2)));
}

TEST(OrderTest, GlobalDoesNotSeeShards) {
  const OrderOptions options{.shuffle = Shuffle::kGlobal, .seed = 3};
  EXPECT_EQ(samples_of(order_of({30, 0, 70}, options).epoch(0)),
            samples_of(order_of({100}, options).epoch(0)));
}

// With one lane and windows of one record nothing moves but the shards.
TEST(OrderTest, OneLaneAndWindowOfOneKeepShardsWhole) {
  const OrderOptions options{.shuffle = Shuffle::kWindow, .window = 1, .lanes = 1, .seed = 4};
  const std::vector<std::uint64_t> sizes{3, 0, 4, 2};
  const std::map<std::uint64_t, Samples> shards{{0, {0, 1, 2}}, {3, {3, 4, 5, 6}}, {7, {7, 8}}};
  std::set<Samples> orders;
  for (std::uint32_t epoch = 0; epoch < 200; ++epoch) {
    const Samples samples = samples_of(order_of(sizes, options).epoch(epoch));
    for (auto at = samples.begin(); at != samples.end();) {
      const Samples& shard = shards.at(*at);
      ASSERT_TRUE(std::equal(shard.begin(), shard.end(), at));
      at += static_cast<std::ptrdiff_t>(shard.size());
    }
    orders.insert(samples);
  }
  EXPECT_EQ(orders.size(), 6u);
}

// One shard, so that storage order is the sequence: lane l is a run of consecutive samples, and in
// it a sample moves less than a window away.
TEST(OrderTest, ASampleStaysWithinAWindowOfItsPlaceInTheLane) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t n = 50 + random() % 500;
    const std::uint32_t lanes = 1 + random() % 20;
    const std::uint64_t window = 1 + random() % (n - 1);
    const std::uint64_t lane_window = std::max<std::uint64_t>(1, window / lanes);
    const EpochOrder epoch =
        order_of({n}, {.shuffle = Shuffle::kWindow, .window = window, .lanes = lanes, .seed = 1})
            .epoch(i);
    for (std::uint64_t position = 0; position < n; ++position) {
      const std::uint64_t lane = position % lanes;
      const std::uint64_t place =
          lane * (n / lanes) + std::min<std::uint64_t>(lane, n % lanes) + position / lanes;
      const std::uint64_t sample = epoch.sample_at(position);
      ASSERT_LT(std::max(sample, place) - std::min(sample, place), lane_window);
    }
  }
}

TEST(OrderTest, WindowBordersMoveFromEpochToEpoch) {
  const Order order =
      order_of({200}, {.shuffle = Shuffle::kWindow, .window = 20, .lanes = 2, .seed = 1});
  std::set<std::uint64_t> samples;
  for (std::uint32_t e = 0; e < 300; ++e) samples.insert(order.epoch(e).sample_at(2 * 15));
  // Lane windows of 10 records: that of record 15 begins anywhere from 6 to 15.
  EXPECT_EQ(*samples.begin(), 6u);
  EXPECT_EQ(*samples.rbegin(), 24u);
  EXPECT_EQ(samples.size(), 19u);
}

TEST(OrderTest, MoreLanesThanSamplesIsALaneASample) {
  const EpochOrder epoch =
      order_of({3}, {.shuffle = Shuffle::kWindow, .window = 2, .lanes = 64}).epoch(0);
  EXPECT_EQ(samples_of(epoch), counted(3));
}

TEST(OrderTest, NothingToOrderIsAnEmptyEpoch) {
  EXPECT_EQ(order_of({}, {.shuffle = Shuffle::kWindow, .window = 5}).epoch(0).size(), 0u);
  EXPECT_EQ(order_of({0, 0}, {.shuffle = Shuffle::kGlobal}).epoch(0).size(), 0u);
}

TEST(OrderTest, OrdersAVeryLargeDataset) {
  constexpr std::uint64_t size = std::uint64_t{1} << 60;
  const Order order = order_of(
      {size, size, size - 1},
      {.shuffle = Shuffle::kWindow, .window = std::uint64_t{1} << 50, .lanes = 64, .seed = 1});
  EXPECT_LT(order.epoch(0).sample_at(order.size() - 1), order.size());
}

TEST(OrderTest, RejectsAWindowOfNothing) {
  EXPECT_EQ(message_of({5}, {.shuffle = Shuffle::kWindow, .window = 0}),
            "window is 0, expected 1 or more");
}

TEST(OrderTest, RejectsNoLanes) {
  EXPECT_EQ(message_of({5}, {.shuffle = Shuffle::kWindow, .window = 2, .lanes = 0}),
            "lanes is 0, expected 1 or more");
}

TEST(OrderTest, RejectsMoreSamplesThanItCanCount) {
  EXPECT_EQ(message_of({std::uint64_t{1} << 61, std::uint64_t{1} << 61}, {}),
            "the shards hold 4611686018427387904 samples or more, expected fewer");
}

}  // namespace
}  // namespace penstock::order
