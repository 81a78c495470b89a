// The reading side of a run.
#include "penstock/deliver/reader.h"

#include <algorithm>
#include <utility>

namespace penstock::deliver {

ReadAhead::ReadAhead(const ReadAheadLimits& limits)
    : limits_(limits),
      free_(limits.num_stretches),
      loaded_(limits.num_stretches * limits.groups_per_stretch) {
  for (std::size_t i = 0; i < limits.num_stretches; ++i) {
    stretches_.push_back(std::make_unique<Stretch>());
    free_.send(stretches_.back().get());
  }
}

void ReadAhead::read_all(const ReadFrom& from, Schedule& schedule, ThreadCounters& counters) {
  LapClock clock(counters);
  {
    const std::scoped_lock lock(mutex_);
    ++num_reading_;
  }
  while (const auto stretch = free_.receive()) {
    if (!fill(schedule, **stretch)) break;
    clock.lap(Stage::kWaitOutput);
    const TraceTime begin = clock.last();
    read_stretch(from, **stretch, limits_.stretch_bytes, counters, stop_.get_token());
    clock.lap(Stage::kRead);
    if (counters.is_counting)
      counters.trace.add({"read", begin, clock.last(), (*stretch)->groups.front().batch_sequence,
                          (*stretch)->picks.size()});
    if (!send_in_order(**stretch)) break;
  }
  const std::scoped_lock lock(mutex_);
  if (--num_reading_ == 0) loaded_.close();
}

bool ReadAhead::fill(Schedule& schedule, Stretch& stretch) {
  const std::scoped_lock lock(schedule_mutex_);
  stretch.clear();
  while (stretch.groups.size() < next_groups_) {
    auto group = schedule.next();
    if (!group) break;
    stretch.add(std::move(*group));
  }
  // The first batch shall not wait for more than it needs.
  next_groups_ = std::min(2 * next_groups_, limits_.groups_per_stretch);
  stretch.num_open = stretch.groups.size();
  return !stretch.groups.empty();
}

bool ReadAhead::send_in_order(Stretch& stretch) {
  std::unique_lock lock(mutex_);
  turn_changed_.wait(lock, [&] { return is_closed_ || turn_ == stretch.groups.front().sequence; });
  if (is_closed_) return false;
  // A worker may be done with the stretch as soon as its last group is sent.
  const std::size_t num_groups = stretch.groups.size();
  LoadedGroup loaded{.stretch = &stretch};
  for (; loaded.number < num_groups; ++loaded.number) {
    const std::size_t count = stretch.groups[loaded.number].count;
    // Never blocks: the channel has room for every group there is.
    loaded_.send(loaded);
    loaded.first_pick += count;
  }
  turn_ += num_groups;
  turn_changed_.notify_all();
  return true;
}

std::optional<LoadedGroup> ReadAhead::receive() { return loaded_.receive(); }

void ReadAhead::recycle(const LoadedGroup& group) {
  if (--group.stretch->num_open > 0) return;
  group.stretch->release();
  free_.send(group.stretch);
}

void ReadAhead::close() {
  {
    const std::scoped_lock lock(mutex_);
    is_closed_ = true;
  }
  stop_.request_stop();
  turn_changed_.notify_all();
  free_.close();
  loaded_.close();
}

}  // namespace penstock::deliver
