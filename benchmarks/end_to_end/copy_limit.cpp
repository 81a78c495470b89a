// The copy limit: finished batches are copied from memory to memory in N threads. That is
// what a loader of precached tensors can reach. One that widens 8-bit pixels reads a quarter of the
// bytes and may be faster.
//   copy_limit THREADS WARMUP_SECONDS SECONDS SAMPLE_BYTES BATCH_SIZE
// Prints one JSON object.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <thread>
#include <vector>

namespace {

using Seconds = std::chrono::duration<double>;
using Batches = std::vector<std::vector<std::byte>>;

// More than a last-level cache holds, so that the copy runs at the speed of memory.
constexpr std::size_t kPoolBytes = std::size_t{128} << 20;

Batches make_batches(std::size_t batch_bytes, std::byte fill) {
  const std::size_t count = std::max<std::size_t>(4, kPoolBytes / batch_bytes);
  return Batches(count, std::vector<std::byte>(batch_bytes, fill));
}

struct Shared {
  std::size_t batch_bytes;
  std::latch is_ready;  // the clock waits until every thread has its batches
  std::atomic<long> copied{0};
  std::atomic<bool> stops{false};
};

void copy_until_stopped(Shared& shared) {
  const Batches from = make_batches(shared.batch_bytes, std::byte{1});
  Batches to = make_batches(shared.batch_bytes, std::byte{0});
  shared.is_ready.count_down();
  for (std::size_t i = 0; !shared.stops; i = (i + 1) % from.size()) {
    std::memcpy(to[i].data(), from[i].data(), shared.batch_bytes);
    ++shared.copied;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr,
                 "usage: copy_limit THREADS WARMUP_SECONDS SECONDS SAMPLE_BYTES BATCH_SIZE\n");
    return 2;
  }
  const long batch_size = std::atol(argv[5]);
  const int num_threads = std::atoi(argv[1]);
  Shared shared{static_cast<std::size_t>(std::atol(argv[4]) * batch_size), std::latch(num_threads)};
  std::vector<std::jthread> threads;
  for (int i = 0; i < num_threads; ++i) {
    threads.emplace_back([&shared] { copy_until_stopped(shared); });
  }
  shared.is_ready.wait();
  std::this_thread::sleep_for(Seconds(std::atof(argv[2])));
  const long before = shared.copied;
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(Seconds(std::atof(argv[3])));
  const long batches = shared.copied - before;
  const double elapsed_s = Seconds(std::chrono::steady_clock::now() - start).count();
  shared.stops = true;
  threads.clear();
  std::printf("{\"samples_per_s\": %.1f}\n", static_cast<double>(batches * batch_size) / elapsed_s);
}
