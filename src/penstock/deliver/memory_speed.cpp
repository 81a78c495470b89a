// Streaming stores, which reach memory however small the buffer is: a large one would break the
// promise of a memory ceiling.
#include "penstock/deliver/memory_speed.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <thread>
#include <vector>

#include "penstock/deliver/machine.h"

namespace penstock::deliver {
namespace {

#if defined(__SSE2__)

using Clock = std::chrono::steady_clock;

struct Vector {
  __m128i value;
};
constexpr std::size_t kNumVectors = (std::size_t{1} << 20) / sizeof(Vector);
constexpr std::chrono::milliseconds kRound{5};
constexpr int kRounds = 4;

void write_past_caches(std::vector<Vector>& to) {
  for (Vector& vector : to) _mm_stream_si128(&vector.value, _mm_set1_epi8(1));
  _mm_sfence();
}

// Of this thread, for one round.
double write_bytes_per_s() {
  std::vector<Vector> buffer(kNumVectors);
  double written = 0;
  const auto began = Clock::now();
  auto now = began;
  while (now - began < kRound) {
    write_past_caches(buffer);
    written += static_cast<double>(buffer.size() * sizeof(Vector));
    now = Clock::now();
  }
  return written / std::chrono::duration<double>(now - began).count();
}

double measure() {
  std::vector<double> rates(static_cast<std::size_t>(available_cores()));
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    {
      std::vector<std::jthread> threads;
      threads.reserve(rates.size());
      for (double& rate : rates) threads.emplace_back([&rate] { rate = write_bytes_per_s(); });
    }
    best = std::max(best, std::accumulate(rates.begin(), rates.end(), 0.0));
  }
  return best;
}

#else

double measure() { return 0; }

#endif

}  // namespace

double memory_bytes_per_s() {
  static const double rate = measure();
  return rate;
}

}  // namespace penstock::deliver
