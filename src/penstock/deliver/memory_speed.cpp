// Streaming stores, which reach memory however small the buffer is: a large one would break the
// promise of a memory ceiling.
#include "penstock/deliver/memory_speed.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <ctime>
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
constexpr double kRoundSeconds = 0.005;
constexpr int kRounds = 4;

void write_past_caches(std::vector<Vector>& to) {
  for (Vector& vector : to) _mm_stream_si128(&vector.value, _mm_set1_epi8(1));
  _mm_sfence();
}

double thread_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Of this thread, for one round. In CPU time: a run that is under way takes the cores in between.
double write_bytes_per_s() {
  std::vector<Vector> buffer(kNumVectors);
  double written = 0;
  double elapsed_s = 0;
  for (const double began_s = thread_cpu_s(); elapsed_s < kRoundSeconds;) {
    write_past_caches(buffer);
    written += static_cast<double>(buffer.size() * sizeof(Vector));
    elapsed_s = thread_cpu_s() - began_s;
  }
  return written / elapsed_s;
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
