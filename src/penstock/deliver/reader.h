// Bytes from storage, ahead of the workers: stretches are read, several at once where that helps,
// and their groups go on in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "penstock/base/channel.h"
#include "penstock/deliver/counters.h"
#include "penstock/deliver/schedule.h"
#include "penstock/deliver/stretch.h"

namespace penstock::deliver {

// There are `num_stretches` stretches of at most `stretch_bytes` each, which bounds the bytes in
// flight.
struct ReadAheadLimits {
  std::size_t num_stretches = 1;
  std::size_t stretch_bytes = 0;
  std::size_t groups_per_stretch = 1;
};

// The two channels between readers and workers.
class ReadAhead {
 public:
  explicit ReadAhead(const ReadAheadLimits& limits);

  // For a reader thread: takes groups from the schedule until there are no more or close() is
  // called.
  void read_all(const ReadFrom& from, Schedule& schedule, ThreadCounters& counters);

  // For a worker: the next group in order; nullopt when all are done.
  std::optional<LoadedGroup> receive();
  void recycle(const LoadedGroup& group);

  void close();

  // Groups that wait for a worker, and how many there can be.
  std::size_t num_loaded() const { return loaded_.size(); }
  std::size_t max_loaded() const { return loaded_.capacity(); }

 private:
  // False at the end of the schedule.
  bool fill(Schedule& schedule, Stretch& stretch);
  // Groups leave in the order of the schedule whatever reader is first, so that a worker never
  // waits for a slot while an earlier batch still waits for its bytes.
  bool send_in_order(Stretch& stretch);

  const ReadAheadLimits limits_;
  std::vector<std::unique_ptr<Stretch>> stretches_;
  Channel<Stretch*> free_;
  Channel<LoadedGroup> loaded_;
  std::stop_source stop_;

  std::mutex schedule_mutex_;  // held while a stretch takes its groups, so that they are neighbours
  std::size_t next_groups_ = 1;

  std::mutex mutex_;
  std::condition_variable turn_changed_;
  std::uint64_t turn_ = 0;
  std::size_t num_reading_ = 0;
  bool is_closed_ = false;
};

}  // namespace penstock::deliver
