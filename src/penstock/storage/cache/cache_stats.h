// What a cache did so far.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace penstock::storage {

struct CacheStats {
  std::uint64_t hits_bytes = 0;    // asked for, and read from the folder
  std::uint64_t misses_bytes = 0;  // asked for, and fetched
  std::uint64_t stored_bytes = 0;  // in the folder, by whichever process
  bool is_full = false;            // the last block was not stored: no room, or none can be written
  std::string problem;             // what kept bytes from being stored but max_bytes; mostly empty
};

// Safe from any thread.
class CacheCounters {
 public:
  CacheStats stats() const;

  void add_hit(std::uint64_t size_bytes) { hits_bytes_ += size_bytes; }
  void add_miss(std::uint64_t size_bytes) { misses_bytes_ += size_bytes; }
  void set_stored(std::uint64_t size_bytes) { stored_bytes_ = size_bytes; }
  void set_full(bool is_full) { is_full_ = is_full; }
  // The first one stays.
  void set_problem(std::string_view problem);

 private:
  std::atomic<std::uint64_t> hits_bytes_ = 0;
  std::atomic<std::uint64_t> misses_bytes_ = 0;
  std::atomic<std::uint64_t> stored_bytes_ = 0;
  std::atomic<bool> is_full_ = false;
  mutable std::mutex mutex_;
  std::string problem_;
};

}  // namespace penstock::storage
