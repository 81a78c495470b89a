// What a thread did last, event by event, for a timeline.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string_view>
#include <vector>

namespace penstock::deliver {

using TraceTime = std::chrono::steady_clock::time_point;

struct TraceEvent {
  std::string_view name;  // a constant
  TraceTime begin{};
  TraceTime end{};
  std::uint64_t batch = 0;    // in the run
  std::uint64_t samples = 0;  // that it was about; 0 if it waited
};

// The last events of one thread. Safe from any thread.
class TraceLog {
 public:
  static constexpr std::size_t kNumKept = 1024;

  void add(const TraceEvent& event) {
    const std::scoped_lock lock(mutex_);
    events_.push_back(event);
    if (events_.size() > kNumKept) events_.pop_front();
  }
  // A wait that is too short to see is left out.
  void add_wait(const TraceEvent& event) {
    if (event.end - event.begin > std::chrono::microseconds(50)) add(event);
  }
  // The oldest first.
  std::vector<TraceEvent> events() const {
    const std::scoped_lock lock(mutex_);
    return {events_.begin(), events_.end()};
  }

 private:
  mutable std::mutex mutex_;
  std::deque<TraceEvent> events_;
};

}  // namespace penstock::deliver
