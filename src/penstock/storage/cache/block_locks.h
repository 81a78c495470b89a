// Who fetches which block: one thread of one process.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <unordered_set>

#include "penstock/storage/cache/block_file.h"
#include "penstock/storage/cache/lock_file.h"

namespace penstock::storage {

// Safe from any thread. Nobody waits while holding one, so that nobody waits for ever.
class BlockLocks {
 public:
  // The locks are bytes of the file from `first_byte` on.
  BlockLocks(const LockFile& file, std::uint64_t first_byte)
      : file_(file), first_byte_(first_byte) {}

  // False if another thread or process has it.
  bool try_lock(BlockId id);
  void unlock(BlockId id);

  // How often a lock was given back in this process.
  std::uint64_t num_unlocked() const;
  // Returns when num_unlocked() is another one, when `stop` is requested, or after a few
  // milliseconds: other processes give no sign.
  void wait(std::uint64_t num_unlocked, const std::stop_token& stop) const;

 private:
  // Blocks that share a byte, by a rare accident, are fetched one after the other.
  std::uint64_t byte_of(BlockId id) const { return first_byte_ + (id.hash() >> 2); }

  const LockFile& file_;
  const std::uint64_t first_byte_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any unlocked_;
  std::unordered_set<std::uint64_t> held_;  // bytes, by this process
  std::uint64_t num_unlocked_ = 0;
};

}  // namespace penstock::storage
