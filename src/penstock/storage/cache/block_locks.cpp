// A table for the threads of this process, and the file for the others.
#include "penstock/storage/cache/block_locks.h"

#include <chrono>

namespace penstock::storage {

bool BlockLocks::try_lock(BlockId id) {
  const std::scoped_lock lock(mutex_);
  const auto [at, is_new] = held_.insert(byte_of(id));
  if (!is_new) return false;
  if (file_.try_lock(*at, LockKind::kExclusive)) return true;
  held_.erase(at);
  return false;
}

void BlockLocks::unlock(BlockId id) {
  const std::scoped_lock lock(mutex_);
  file_.unlock(byte_of(id));
  held_.erase(byte_of(id));
  ++num_unlocked_;
  unlocked_.notify_all();
}

std::uint64_t BlockLocks::num_unlocked() const {
  const std::scoped_lock lock(mutex_);
  return num_unlocked_;
}

void BlockLocks::wait(std::uint64_t num_unlocked, const std::stop_token& stop) const {
  constexpr std::chrono::milliseconds kLongest(5);
  std::unique_lock lock(mutex_);
  unlocked_.wait_for(lock, stop, kLongest, [&] { return num_unlocked_ != num_unlocked; });
}

}  // namespace penstock::storage
