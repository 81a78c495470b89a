// A search for the smallest number that reaches the highest rate.
#include "penstock/storage/http/in_flight_limit.h"

#include <algorithm>

namespace penstock::storage {
namespace {

constexpr int kFirstValue = 16;
constexpr auto kInterval = std::chrono::milliseconds(200);
// A larger number is kept if it brings this much more.
constexpr double kWorthwhile = 1.1;
// A share of refusals that is no accident.
constexpr double kManyRefusals = 0.1;
constexpr auto kRest = std::chrono::seconds(10);

}  // namespace

InFlightLimit::InFlightLimit(int most) : most_(most), value_(std::min(kFirstValue, most)) {}

void InFlightLimit::count(const Answer& answer, Clock::time_point now) {
  if (interval_.begin == Clock::time_point{}) interval_.begin = now;
  interval_.num_bytes += answer.num_bytes;
  interval_.num_refusals += answer.is_refusal ? 1 : 0;
  ++interval_.num_answers;
  interval_.was_waited_for |= answer.is_waited_for;
  // Long enough for every request of a new number to have been answered.
  if (now - interval_.begin < kInterval || interval_.num_answers < 2 * value_) return;
  end_interval(now);
  interval_ = {.begin = now};
}

void InFlightLimit::end_interval(Clock::time_point now) {
  if (interval_.num_refusals > kManyRefusals * interval_.num_answers) {
    value_ = std::max(1, value_ / 2);
    best_value_ = 0;
    try_again_ = now + kRest;
    return;
  }
  if (!interval_.was_waited_for || now < try_again_) return;
  const double seconds = std::chrono::duration<double>(now - interval_.begin).count();
  const double rate = static_cast<double>(interval_.num_bytes) / seconds;
  if (best_value_ == 0 || rate > best_rate_ * kWorthwhile) {
    best_rate_ = rate;
    best_value_ = value_;
    value_ = std::min(2 * value_, most_);
    return;
  }
  // No better than with fewer: back to those, until something may have changed.
  value_ = best_value_;
  best_value_ = 0;
  try_again_ = now + kRest;
}

}  // namespace penstock::storage
