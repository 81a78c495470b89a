// What each thread did: samples, bytes and time, cheap enough to be always on.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "penstock/deliver/trace.h"

namespace penstock::deliver {

// Where a thread's time goes, in the order a sample passes.
enum class Stage : std::uint8_t {
  kRead,        // bytes from storage
  kDecode,      // encoded image to pixels
  kTransform,   // pixels into the slot
  kWaitInput,   // a worker for bytes
  kWaitOutput,  // a reader for a free buffer, a worker for a free slot
};
inline constexpr std::array<std::string_view, 5> kStageNames = {"read", "decode", "transform",
                                                                "wait_input", "wait_output"};

// Written by one thread, read by any.
struct alignas(64) ThreadCounters {
  std::array<std::atomic<std::uint64_t>, kStageNames.size()> busy_ns{};
  std::atomic<std::uint64_t> samples = 0;
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<std::uint64_t> decoded_bytes = 0;  // pixels
  std::atomic<std::uint64_t> held_bytes = 0;     // memory: buffers of a reader, scratch of a worker
  std::atomic<std::uint64_t> cpu_ns = 0;         // once the thread has ended
  TraceLog trace;
  bool is_counting = true;  // said before the thread begins

  double busy_s(Stage stage) const {
    const auto ns = busy_ns[static_cast<std::size_t>(stage)].load(std::memory_order_relaxed);
    return static_cast<double>(ns) * 1e-9;
  }
};

inline void add(std::atomic<std::uint64_t>& counter, std::uint64_t amount) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

// Gives the time since the last lap to a stage. One clock reading a lap, about 25 ns.
class LapClock {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LapClock(ThreadCounters& counters) : counters_(counters) {}

  void restart() { last_ = Clock::now(); }
  void add_decoded(std::uint64_t bytes) { add(counters_.decoded_bytes, bytes); }
  // When the last lap ended.
  Clock::time_point last() const { return last_; }
  void lap(Stage stage) {
    if (!counters_.is_counting) return;
    const Clock::time_point now = Clock::now();
    const auto elapsed = std::chrono::nanoseconds(now - last_).count();
    add(counters_.busy_ns[static_cast<std::size_t>(stage)], static_cast<std::uint64_t>(elapsed));
    last_ = now;
  }

 private:
  ThreadCounters& counters_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace penstock::deliver
