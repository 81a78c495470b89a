// Percentiles over the last few hundred reads, and a budget that fills with each read.
#include "penstock/storage/remote/hedging.h"

#include <algorithm>

namespace penstock::storage {
namespace {

constexpr std::size_t kNumRecent = 256;
// So few say nothing about a percentile.
constexpr std::size_t kFewestReads = 20;
// Percentiles are found anew after so many reads.
constexpr int kMeasureEvery = 16;
constexpr auto kLeastPatience = std::chrono::milliseconds(50);
constexpr auto kFirstPatience = std::chrono::milliseconds(1000);
constexpr double kUsualTimes = 2;
constexpr double kShare = 0.05;
// A server that becomes slow as a whole does not get all that was saved up at once.
constexpr double kMostAllowed = 16;

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// The value that `share` of them do not exceed.
double percentile(std::vector<double> values, double share) {
  const auto index = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(index);
  std::ranges::nth_element(values, at);
  return *at;
}

}  // namespace

void Hedging::count(const ReadTime& read) {
  if (read.num_bytes == 0) return;
  const std::scoped_lock lock(mutex_);
  if (recent_.size() < kNumRecent) {
    recent_.push_back(read);
  } else {
    recent_[next_] = read;
    next_ = (next_ + 1) % kNumRecent;
  }
  ++num_unmeasured_;
  if (recent_.size() >= kFewestReads && (!is_measured_ || num_unmeasured_ >= kMeasureEvery)) {
    measure();
  }
}

void Hedging::measure() {
  std::vector<double> first_byte_s, per_byte_s;
  for (const ReadTime& read : recent_) {
    first_byte_s.push_back(seconds(read.first_byte));
    per_byte_s.push_back(seconds(read.total - read.first_byte) /
                         static_cast<double>(read.num_bytes));
  }
  late_first_byte_s_ = percentile(std::move(first_byte_s), percent_ / 100);
  seconds_per_byte_ = percentile(std::move(per_byte_s), 0.5);
  num_unmeasured_ = 0;
  is_measured_ = true;
}

void Hedging::count_begun() {
  const std::scoped_lock lock(mutex_);
  num_allowed_ = std::min(num_allowed_ + kShare, kMostAllowed);
}

std::chrono::milliseconds Hedging::patience(std::size_t num_bytes) {
  const std::scoped_lock lock(mutex_);
  if (!is_measured_) return kFirstPatience;
  const std::chrono::duration<double> late(late_first_byte_s_ + kUsualTimes * seconds_per_byte_ *
                                                                    static_cast<double>(num_bytes));
  return std::max(kLeastPatience, std::chrono::ceil<std::chrono::milliseconds>(late));
}

bool Hedging::may_hedge() {
  const std::scoped_lock lock(mutex_);
  // Twenty times a twentieth is a little less than one.
  constexpr double kRounding = 1e-9;
  if (num_allowed_ < 1 - kRounding) return false;
  num_allowed_ -= 1;
  return true;
}

}  // namespace penstock::storage
