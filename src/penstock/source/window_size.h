// How much of a shard to read at a time while its headers are walked.
#pragma once

#include <algorithm>
#include <cstdint>

namespace penstock::source {

// Large windows while records are small, small ones while they are large. Large ones in any case if
// each costs a round trip: it takes less time to read a record than to skip it.
class WindowSize {
 public:
  static constexpr std::uint64_t kLargest = 1 << 20;

  explicit WindowSize(bool is_remote = false)
      : smallest_(is_remote ? kLargest : kSmallest), bytes_(is_remote ? kLargest : kFirst) {}

  // Of the first window.
  std::uint64_t bytes() const { return bytes_; }

  // The next window, from the next header on, after one that ended at `window_end`. A header behind
  // it was found by skipping a record: less of a window would have done. One at its end was found
  // by reading on: a larger window saves a read.
  std::uint64_t next(std::uint64_t header, std::uint64_t window_end) {
    bytes_ = header > window_end ? std::max(bytes_ / 2, smallest_) : std::min(bytes_ * 2, kLargest);
    return bytes_;
  }

 private:
  static constexpr std::uint64_t kFirst = 64 << 10;
  static constexpr std::uint64_t kSmallest = 4 << 10;

  std::uint64_t smallest_;
  std::uint64_t bytes_;
};

}  // namespace penstock::source
