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
    Clock::duration duration{};  // from the request on
    bool is_refusal = false;
    bool is_waited_for = false;
  };
  void count(const Answer& answer, Clock::time_point now);

 private:
  struct Interval {
    Clock::time_point begin{};
    int num_answers = 0;
    int num_refusals = 0;
    // Of requests that were made while the limit was what it is, and others waited.
    int num_measured = 0;
    std::uint64_t num_bytes = 0;
    Clock::duration durations{};  // their sum
  };

  void judge(const Interval& interval, Clock::time_point now);
  void change(int value, Clock::time_point now);

  const int most_;
  int value_;
  Clock::time_point changed_at_{};
  Interval interval_;
  double best_rate_ = 0;           // bytes a second, with best_value_
  int best_value_ = 0;             // 0: not measured
  Clock::time_point try_again_{};  // not before then
};

}  // namespace penstock::storage
