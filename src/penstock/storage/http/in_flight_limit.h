// How many requests a host gets at once, found by measuring.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace penstock::storage {

// Grows while more requests at once bring more bytes a second, stops where they do not, and shrinks
// when the host says that it is too much. Not thread-safe.
class InFlightLimit {
 public:
  using Clock = std::chrono::steady_clock;

  explicit InFlightLimit(int most);

  int value() const { return value_; }

  // An answer, or a refusal because there are too many requests (429, 503). `is_waited_for`: some
  // wait for their turn, so that the limit is what holds the rate down.
  struct Answer {
    std::size_t num_bytes = 0;
    bool is_refusal = false;
    bool is_waited_for = false;
  };
  void count(const Answer& answer, Clock::time_point now);

 private:
  void end_interval(Clock::time_point now);

  struct Interval {
    Clock::time_point begin{};
    std::uint64_t num_bytes = 0;
    int num_answers = 0;
    int num_refusals = 0;
    bool was_waited_for = false;
  };

  const int most_;
  int value_;
  Interval interval_;
  double best_rate_ = 0;           // bytes a second, with best_value_
  int best_value_ = 0;             // 0: not measured
  Clock::time_point try_again_{};  // not before then
};

}  // namespace penstock::storage
