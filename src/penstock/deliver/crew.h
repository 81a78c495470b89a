// Threads of one kind, and what they counted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "penstock/deliver/counters.h"

namespace penstock::deliver {

class Crew {
 public:
  // Called in each thread with its number; returns when the thread is to end.
  using Work = std::function<void(int number, ThreadCounters& counters)>;

  // Once. The sums below may be asked for by any thread from then on.
  void start(int num_threads, bool counts, const Work& work);
  // Waits for all; whoever calls it has told them to end.
  void join() { threads_.clear(); }

  int size() const { return static_cast<int>(counters_.size()); }
  double busy_s(Stage stage) const;
  std::uint64_t samples() const { return sum(&ThreadCounters::samples); }
  std::uint64_t bytes() const { return sum(&ThreadCounters::bytes); }
  std::uint64_t decoded_bytes() const { return sum(&ThreadCounters::decoded_bytes); }
  std::uint64_t held_bytes() const { return sum(&ThreadCounters::held_bytes); }
  // CPU time of all, also of those that have ended. Not while join() runs.
  double cpu_s() const;
  // Each thread's, by number.
  const std::vector<std::unique_ptr<ThreadCounters>>& counters() const { return counters_; }

 private:
  std::uint64_t sum(std::atomic<std::uint64_t> ThreadCounters::* counter) const;

  std::vector<std::unique_ptr<ThreadCounters>> counters_;
  std::vector<std::jthread> threads_;
};

}  // namespace penstock::deliver
