// The folder of a cache: block files, how much room they take, and who is writing.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/storage/cache/block_file.h"
#include "penstock/storage/cache/block_locks.h"
#include "penstock/storage/cache/cache_stats.h"
#include "penstock/storage/cache/lock_file.h"

namespace penstock::storage {

// A block file as it lies there.
struct BlockState {
  std::uint64_t identity = 0;  // another one after every change of the file
  std::uint64_t size_bytes = 0;
};

// Safe from any thread; several processes may share the folder. What cannot be done is told to the
// counters and is no failure.
//
//   blocks/3f/0123456789abcdef-12   whole blocks
//   incoming/XXXXXX                 being written; a lock tells those of living processes
//   lock                            locks of all kinds, and in its first 8 bytes the sum of all
//   sizes
class BlockStore {
 public:
  BlockStore(std::string folder, std::uint64_t max_bytes, CacheCounters& counters);

  // Once false it stays so.
  bool is_writable() const { return is_writable_; }
  // Only of a store that was ever writable.
  BlockLocks& locks() { return *locks_; }

  std::string path_of(BlockId id) const;
  // nullopt if there is no such file.
  static std::optional<BlockState> state_of(const std::string& path);

  // Sets room for a block aside; false if there is none.
  bool reserve(std::size_t data_bytes);
  void give_back(std::size_t data_bytes);
  // Into room set aside, which is given back if the block cannot be written.
  void write(BlockId id, Bytes data);
  // Takes a damaged file away, unless it is in another state by now. False if that cannot be done.
  bool remove(BlockId id, const BlockState& state);

 private:
  Status open();
  Status write_file(BlockId id, Bytes data) const;
  void give_up(const Status& status);
  void remove_leftovers() const;
  Status recount();
  // Locks the sum, and makes it what `next` answers; nullopt leaves it. False unless it was
  // changed.
  template <class Next>
  bool change_sum(Next next);

  const std::string folder_;
  const std::uint64_t max_bytes_;
  CacheCounters& counters_;
  std::optional<LockFile> lock_file_;
  std::optional<BlockLocks> locks_;
  std::mutex sum_mutex_;
  std::atomic<bool> is_writable_ = false;
};

}  // namespace penstock::storage
