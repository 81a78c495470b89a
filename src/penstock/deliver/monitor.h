// Looks at a run ten times a second, and keeps what it saw.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "penstock/deliver/snapshot.h"

namespace penstock::deliver {

class Monitor {
 public:
  // Half a minute of them is kept.
  static constexpr std::size_t kNumKept = 300;

  // `look` counts, or says nullopt when the run is over; `act` is called with what was seen. Both
  // in the monitor's thread.
  using Look = std::function<std::optional<Snapshot>()>;
  Monitor(Look look, std::function<void(const Snapshot&)> act);
  ~Monitor();

  // The oldest first.
  std::vector<Snapshot> history() const;

 private:
  void watch(const std::stop_token& stop);

  const Look look_;
  const std::function<void(const Snapshot&)> act_;
  mutable std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::deque<Snapshot> kept_;
  std::jthread thread_;
};

}  // namespace penstock::deliver
