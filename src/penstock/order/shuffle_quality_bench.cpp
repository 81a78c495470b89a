// How good a shuffle is, against a uniform permutation. The table in docs/order.md comes from here.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "penstock/order/order.h"

namespace penstock::order {
namespace {

constexpr std::uint64_t kNumSamples = 1'280'000;
constexpr std::uint64_t kNumClasses = 1000;
constexpr std::uint64_t kBatchSize = 256;

// Mean distance of two storage neighbours in the order; a uniform permutation has (N + 1) / 3.
double neighbour_distance(const std::vector<std::uint64_t>& samples) {
  std::vector<std::uint64_t> position_of(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) position_of[samples[i]] = i;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
    sum += std::abs(static_cast<double>(position_of[i]) - static_cast<double>(position_of[i + 1]));
  }
  return sum / static_cast<double>(samples.size() - 1);
}

struct ClassSpread {
  double mean = 0;   // distinct classes in a batch
  double worst = 0;  // in the batch that has the fewest
};

// Of data that is sorted by class, every class as frequent.
ClassSpread class_spread(const std::vector<std::uint64_t>& samples) {
  ClassSpread out{0, kBatchSize};
  const std::size_t num_batches = samples.size() / kBatchSize;
  for (std::size_t batch = 0; batch < num_batches; ++batch) {
    std::vector<bool> is_seen(kNumClasses);
    for (std::size_t i = batch * kBatchSize; i < (batch + 1) * kBatchSize; ++i) {
      is_seen[samples[i] * kNumClasses / kNumSamples] = true;
    }
    const auto distinct = static_cast<double>(std::count(is_seen.begin(), is_seen.end(), true));
    out.mean += distinct / static_cast<double>(num_batches);
    out.worst = std::min(out.worst, distinct);
  }
  return out;
}

// A window of 0 is none, kNumSamples is global.
void BM_shuffle_quality(benchmark::State& state) {
  const auto window = static_cast<std::uint64_t>(state.range(0));
  const auto shard_size = static_cast<std::uint64_t>(state.range(1));
  const std::vector<std::uint64_t> shard_sizes(kNumSamples / shard_size, shard_size);
  const auto order =
      make_order(shard_sizes, {.shuffle = window == 0 ? Shuffle::kNone : Shuffle::kWindow,
                               .window = window,
                               .lanes = static_cast<std::uint32_t>(state.range(2)),
                               .seed = 7});
  std::vector<std::uint64_t> samples(kNumSamples);
  std::uint32_t num_epochs = 0;
  for (auto _ : state) {
    const EpochOrder epoch = order->epoch(num_epochs++);
    for (std::uint64_t i = 0; i < kNumSamples; ++i) samples[i] = epoch.sample_at(i);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kNumSamples));
  const double uniform_distance = (static_cast<double>(kNumSamples) + 1) / 3;
  const ClassSpread spread = class_spread(samples);
  state.counters["distance"] = neighbour_distance(samples) / uniform_distance;
  state.counters["classes"] = spread.mean;
  state.counters["worst_batch"] = spread.worst;
}
BENCHMARK(BM_shuffle_quality)
    ->ArgNames({"window", "shard", "lanes"})
    ->ArgsProduct({{0, 1'000, 10'000, 100'000, kNumSamples}, {1'000, 10'000}, {64}})
    ->ArgsProduct({{10'000}, {1'000, 10'000}, {1, 8, 256}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penstock::order
