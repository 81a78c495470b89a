// The monitor's thread.
#include "penstock/deliver/monitor.h"

#include <chrono>
#include <utility>

namespace penstock::deliver {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);

}  // namespace

Monitor::Monitor(Look look, std::function<void(const Snapshot&)> act)
    : look_(std::move(look)),
      act_(std::move(act)),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

Monitor::~Monitor() {
  thread_.request_stop();
  thread_.join();
}

void Monitor::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    lock.unlock();
    const std::optional<Snapshot> seen = look_();
    if (!seen) return;
    act_(*seen);
    lock.lock();
    kept_.push_back(*seen);
    if (kept_.size() > kNumKept) kept_.pop_front();
    stopped_.wait_for(lock, stop, kInterval, [] { return false; });
  }
}

std::vector<Snapshot> Monitor::history() const {
  const std::scoped_lock lock(mutex_);
  return {kept_.begin(), kept_.end()};
}

}  // namespace penstock::deliver
