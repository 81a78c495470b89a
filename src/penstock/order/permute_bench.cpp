// How many rounds the bijection needs. The tables in docs/order.md, section 2, come from here.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "penstock/order/permute.h"

namespace penstock::order {
namespace {

// How far chi-squared is from what chance gives, in standard deviations. Good is within -3 to 3.
double deviation(const std::vector<int>& counts, std::size_t num_cells) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double expected = total / static_cast<double>(num_cells);
  double chi_squared = expected * static_cast<double>(num_cells - counts.size());
  for (const int count : counts) chi_squared += (count - expected) * (count - expected) / expected;
  const double freedom = static_cast<double>(num_cells) - 1;
  return (chi_squared - freedom) / std::sqrt(2 * freedom);
}

// Over the n (n - 1) pairs of places that two neighbours can go to; 2,000 of each are expected.
void BM_permute_neighbours(benchmark::State& state) {
  const auto n = static_cast<std::uint64_t>(state.range(0));
  const auto rounds = static_cast<int>(state.range(1));
  std::vector<int> counts(n * (n - 1));
  for (auto _ : state) {
    for (std::uint64_t key = 1; key <= 2000 * n; ++key) {
      std::uint64_t before = permute_in_rounds(0, n, mix_bits(key), rounds);
      for (std::uint64_t i = 1; i < n; ++i) {
        const std::uint64_t place = permute_in_rounds(i, n, mix_bits(key), rounds);
        ++counts[before * (n - 1) + (place < before ? place : place - 1)];
        before = place;
      }
    }
  }
  state.counters["deviation"] = deviation(counts, counts.size());
}
BENCHMARK(BM_permute_neighbours)
    ->ArgNames({"n", "rounds"})
    ->ArgsProduct({{8, 16, 33, 64, 65, 100, 129, 157}, {4, 6, 8, 24}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// Over all n! permutations; 400 of each are expected.
void BM_permute_all(benchmark::State& state) {
  const auto n = static_cast<std::uint64_t>(state.range(0));
  const auto rounds = static_cast<int>(state.range(1));
  std::size_t num_permutations = 1;
  for (std::uint64_t i = 2; i <= n; ++i) num_permutations *= i;
  std::vector<std::uint64_t> found;
  for (auto _ : state) {
    for (std::uint64_t key = 1; key <= 400 * num_permutations; ++key) {
      std::uint64_t digits = 0;
      for (std::uint64_t i = 0; i < n; ++i) {
        digits = digits * n + permute_in_rounds(i, n, mix_bits(key), rounds);
      }
      found.push_back(digits);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<int> counts;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i == 0 || found[i] != found[i - 1]) counts.push_back(0);
    ++counts.back();
  }
  state.counters["deviation"] = deviation(counts, num_permutations);
}
BENCHMARK(BM_permute_all)
    ->ArgNames({"n", "rounds"})
    ->ArgsProduct({{4, 6, 7}, {8, 12, 16, 24}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void BM_permute(benchmark::State& state) {
  constexpr std::uint64_t n = 1'281'167;
  const auto rounds = static_cast<int>(state.range(0));
  std::uint64_t index = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(permute_in_rounds(index, n, 7, rounds));
    if (++index == n) index = 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_permute)->ArgName("rounds")->Arg(4)->Arg(6)->Arg(8)->Arg(12)->Arg(24);

}  // namespace
}  // namespace penstock::order
