// For benchmarks: how near a kernel comes to the time that its memory alone takes.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>

namespace penstock::decode {

// The time of one call: the shortest of several rounds that are each long enough for the clock.
inline double best_seconds(const std::function<void()>& body) {
  using Clock = std::chrono::steady_clock;
  constexpr double kMinRoundSeconds = 5e-4;
  const auto round_seconds = [&](int num_calls) {
    const auto begin = Clock::now();
    for (int i = 0; i < num_calls; ++i) body();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  int num_calls = 1;
  while (round_seconds(num_calls) < kMinRoundSeconds) num_calls *= 2;
  double best = round_seconds(num_calls);
  for (int round = 0; round < 20; ++round) best = std::min(best, round_seconds(num_calls));
  return best / num_calls;
}

// Runs `body` in the benchmark's loop, and counts which share of its speed limit it reaches:
// `limit` does what cannot be done without.
inline void run_beside_limit(benchmark::State& state, const std::function<void()>& body,
                             const std::function<void()>& limit) {
  for (auto _ : state) {
    body();
    benchmark::ClobberMemory();
  }
  state.counters["limit_share"] = best_seconds(limit) / best_seconds(body);
}

}  // namespace penstock::decode
