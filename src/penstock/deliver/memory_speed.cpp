// Streaming stores, which reach memory however small the buffer is: a large one would break the
// promise of a memory ceiling.
#include "penstock/deliver/memory_speed.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "penstock/deliver/machine.h"

namespace penstock::deliver {
namespace {

#if defined(__SSE2__)

struct Vector {
  __m128i value;
};
constexpr std::size_t kNumVectors = (std::size_t{1} << 20) / sizeof(Vector);
constexpr std::uint64_t kRoundNs = 5'000'000;
constexpr int kRounds = 4;

void write_past_caches(std::vector<Vector>& to) {
  for (Vector& vector : to) _mm_stream_si128(&vector.value, _mm_set1_epi8(1));
  _mm_sfence();
}

// Of this thread, for one round. In CPU time: a run that is under way takes the cores in between.
double write_bytes_per_s() {
  std::vector<Vector> buffer(kNumVectors);
  double written = 0;
  std::uint64_t elapsed_ns = 0;
  for (const std::uint64_t began_ns = cpu_clock_ns(CLOCK_THREAD_CPUTIME_ID);
       elapsed_ns < kRoundNs;) {
    write_past_caches(buffer);
    written += static_cast<double>(buffer.size() * sizeof(Vector));
    elapsed_ns = cpu_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  }
  return written / (1e-9 * static_cast<double>(elapsed_ns));
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
