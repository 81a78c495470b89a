// When a read is so late that a second request for the same bytes is worth its cost.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <vector>

namespace penstock::storage {

// How long the reads of one storage take, and how many of them may be made twice. Safe from any
// thread.
class Hedging {
 public:
  // A read is late if it takes longer than `percent` of the recent ones.
  explicit Hedging(double percent) : percent_(percent) {}

  // Of a read that ended well.
  struct ReadTime {
    std::size_t num_bytes = 0;
    std::chrono::nanoseconds first_byte{0};
    std::chrono::nanoseconds total{0};
  };
  void count(const ReadTime& read);

  // After what time a read is late: the percentile of the times to the first byte, and twice the
  // usual time for its bytes; a second while too little is known.
  std::chrono::milliseconds patience(std::size_t num_bytes);

  // A read begins.
  void count_begun();

  // Whether a late read may be made twice: at most one in twenty is. Each true counts.
  bool may_hedge();

 private:
  void measure();

  const double percent_;
  std::mutex mutex_;
  std::vector<ReadTime> recent_;  // a ring
  std::size_t next_ = 0;          // of the ring, to be replaced
  int num_unmeasured_ = 0;        // reads since measure()
  bool is_measured_ = false;
  double late_first_byte_s_ = 0;
  double seconds_per_byte_ = 0;
  double num_allowed_ = 0;  // requests that may be made twice now
};

}  // namespace penstock::storage
