// The consumer's side of a run, by the clock.
#include "penstock/deliver/batch_times.h"

#include <algorithm>

namespace penstock::deliver {
namespace {

double seconds(BatchTimes::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

void BatchTimes::ask() {
  const std::scoped_lock lock(mutex_);
  asked_at_ = Clock::now();
  if (!is_working_) return;
  is_working_ = false;
  current_.step_s = std::max(0.0, seconds(asked_at_ - handed_over_at_) - current_.map_s);
  trainer_.busy_s += current_.step_s;
  kept_.push_back(current_);
  if (kept_.size() > kNumKept) kept_.pop_front();
  current_ = {};
}

void BatchTimes::end_wait(Clock::time_point now) {
  const double waited_s = seconds(now - asked_at_);
  current_.wait_s += waited_s;
  trainer_.wait_input_s += waited_s;
}

void BatchTimes::hand_over(std::size_t num_samples) {
  const std::scoped_lock lock(mutex_);
  handed_over_at_ = Clock::now();
  end_wait(handed_over_at_);
  is_working_ = true;
  current_.number = num_batches_++;
  current_.begin_s = seconds(handed_over_at_ - began_);
  trainer_.samples += num_samples;
}

void BatchTimes::give_up() {
  const std::scoped_lock lock(mutex_);
  end_wait(Clock::now());
}

void BatchTimes::add_map(double time_s, double cpu_s) {
  const std::scoped_lock lock(mutex_);
  if (!is_working_) return;
  current_.map_s += time_s;
  map_.busy_s += time_s;
  map_cpu_s_ += cpu_s;
  map_.samples = trainer_.samples;
}

void BatchTimes::count(Snapshot& snapshot) const {
  const std::scoped_lock lock(mutex_);
  snapshot.map = map_;
  snapshot.trainer = trainer_;
  snapshot.map_cpu_s = map_cpu_s_;
  snapshot.batches = num_batches_;
  if (num_batches_ > 0) snapshot.last_batch_s = seconds(handed_over_at_ - began_);
  if (is_working_) {
    const double since_s = seconds(Clock::now() - handed_over_at_) - current_.map_s;
    snapshot.trainer.busy_s += std::max(0.0, since_s);
  }
}

std::vector<BatchTime> BatchTimes::last() const {
  const std::scoped_lock lock(mutex_);
  return {kept_.begin(), kept_.end()};
}

}  // namespace penstock::deliver
