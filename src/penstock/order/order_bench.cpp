#include <benchmark/benchmark.h>

#include <vector>

#include "penstock/order/order.h"

namespace penstock::order {
namespace {

constexpr std::uint64_t kNumShards = 1000;
constexpr std::uint64_t kShardSize = 1000;

EpochOrder epoch_of(Shuffle shuffle, std::uint64_t window) {
  const std::vector<std::uint64_t> shard_sizes(kNumShards, kShardSize);
  return make_order(shard_sizes, {.shuffle = shuffle, .window = window, .seed = 7})->epoch(1);
}

void run_sample_at(benchmark::State& state, const EpochOrder& epoch) {
  std::uint64_t position = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(epoch.sample_at(position));
    if (++position == epoch.size()) position = 0;
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_sample_at_global(benchmark::State& state) {
  run_sample_at(state, epoch_of(Shuffle::kGlobal, 0));
}
BENCHMARK(BM_sample_at_global);

void BM_sample_at_window(benchmark::State& state) {
  run_sample_at(state, epoch_of(Shuffle::kWindow, static_cast<std::uint64_t>(state.range(0))));
}
BENCHMARK(BM_sample_at_window)->ArgName("window")->Arg(1'000)->Arg(10'000)->Arg(100'000);

// What the start of an epoch and a resume cost.
void BM_epoch(benchmark::State& state) {
  const std::vector<std::uint64_t> shard_sizes(static_cast<std::size_t>(state.range(0)),
                                               kShardSize);
  const auto order = make_order(shard_sizes, {.shuffle = Shuffle::kWindow, .window = 10'000});
  std::uint32_t epoch = 0;
  for (auto _ : state) benchmark::DoNotOptimize(order->epoch(++epoch).sample_at(0));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_epoch)->ArgName("shards")->Arg(1'000)->Arg(100'000);

}  // namespace
}  // namespace penstock::order
