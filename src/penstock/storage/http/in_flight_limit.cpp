// A search for the smallest number that reaches the highest rate.
#include "penstock/storage/http/in_flight_limit.h"

#include <algorithm>
#include <utility>

namespace penstock::storage {
namespace {

constexpr int kFirstValue = 16;
constexpr auto kInterval = std::chrono::milliseconds(200);
// A larger number is kept if it brings this much more.
constexpr double kWorthwhile = 1.1;
// A share of refusals that is no accident.
constexpr double kManyRefusals = 0.1;
// Rounds of answers to judge by; of fewer a few refusals would be many.
constexpr int kEnough = 2;
// If of so many rounds of answers so few were waited for, the limit is not what holds the rate
// down.
constexpr int kPatience = 4;
constexpr auto kRest = std::chrono::seconds(10);

}  // namespace

InFlightLimit::InFlightLimit(int most) : most_(most), value_(std::min(kFirstValue, most)) {}

void InFlightLimit::count(const Answer& answer, Clock::time_point now) {
  if (interval_.begin == Clock::time_point{}) interval_.begin = now;
  ++interval_.num_answers;
  interval_.num_refusals += answer.is_refusal ? 1 : 0;
  if (answer.is_waited_for && now - answer.duration >= changed_at_) {
    ++interval_.num_measured;
    interval_.num_bytes += answer.num_bytes;
    interval_.durations += answer.duration;
  }
  if (now - interval_.begin < kInterval || interval_.num_answers < kEnough * value_) return;
  const bool is_refused = interval_.num_refusals > kManyRefusals * interval_.num_answers;
  const bool is_measured = interval_.num_measured >= value_;
  const bool is_in_vain = interval_.num_answers >= kPatience * value_;
  if (is_refused || is_measured || is_in_vain) judge(std::exchange(interval_, {}), now);
}

void InFlightLimit::judge(const Interval& interval, Clock::time_point now) {
  if (interval.num_refusals > kManyRefusals * interval.num_answers) {
    change(std::max(1, value_ / 2), now);
    best_value_ = 0;
    try_again_ = now + kRest;
    return;
  }
  if (interval.num_measured < value_ || now < try_again_) return;
  // What one request gets, times their number: answers that come together do not disturb it.
  const double seconds = std::chrono::duration<double>(interval.durations).count();
  const double rate = value_ * static_cast<double>(interval.num_bytes) / std::max(seconds, 1e-9);
  if (best_value_ == 0 || rate > best_rate_ * kWorthwhile) {
    best_rate_ = rate;
    best_value_ = value_;
    change(std::min(2 * value_, most_), now);
    return;
  }
  // No better than with fewer: back to those, until something may have changed.
  change(std::exchange(best_value_, 0), now);
  try_again_ = now + kRest;
}

void InFlightLimit::change(int value, Clock::time_point now) {
  if (value == value_) return;
  value_ = value;
  changed_at_ = now;
}

}  // namespace penstock::storage
