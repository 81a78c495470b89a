// When the consumer waited for a batch, and what it did with it: batch by batch.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "penstock/deliver/snapshot.h"

namespace penstock::deliver {

// One batch in the consumer's hands.
struct BatchTime {
  std::uint64_t number = 0;  // in the run
  double begin_s = 0;        // since the run began: when it was handed over
  double wait_s = 0;         // for it
  double map_s = 0;          // Python functions of the pipeline
  double step_s = 0;         // the trainer, until it asked for the next
};

// Safe from any thread.
class BatchTimes {
 public:
  using Clock = std::chrono::steady_clock;

  // How many of the last ones are kept.
  static constexpr std::size_t kNumKept = 4096;

  explicit BatchTimes(Clock::time_point began) : began_(began) {}

  // The consumer asks for a batch: what it did with the one before is over.
  void ask();
  // It waited since ask(), and has a batch of so many samples; or has none yet, and will ask again.
  void hand_over(std::size_t num_samples);
  void give_up();
  // Part of what it does with the batch it has, by the clock and in CPU time.
  void add_map(double time_s, double cpu_s);

  // Adds map and trainer.
  void count(Snapshot& snapshot) const;
  // Of those that the consumer is done with, the oldest first.
  std::vector<BatchTime> last() const;

 private:
  void end_wait(Clock::time_point now);

  const Clock::time_point began_;
  mutable std::mutex mutex_;
  Clock::time_point asked_at_{};
  Clock::time_point handed_over_at_{};
  bool is_working_ = false;  // between hand_over() and ask()
  std::uint64_t num_batches_ = 0;
  BatchTime current_;
  StageStats map_{.name = "map", .threads = 1};
  double map_cpu_s_ = 0;
  StageStats trainer_{.name = "trainer", .threads = 1};
  std::deque<BatchTime> kept_;
};

}  // namespace penstock::deliver
