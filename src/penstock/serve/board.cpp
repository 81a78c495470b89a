// Answers from what is there: no request waits for the run, and no run for a request.
#include "penstock/serve/board.h"

#include <utility>

#include "penstock/serve/live.h"
#include "penstock/serve/metrics.h"

namespace penstock::serve {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Who asked so long ago looks no more.
constexpr seconds kLookTime(3);
// How often samples change: a person wants to see them.
constexpr milliseconds kSampleInterval(2000);
// The figures of "now" are those of so many seconds.
constexpr double kWindowS = 5;
constexpr double kSnapshotIntervalS = 0.9;

double seconds_between(std::chrono::steady_clock::time_point begin,
                       std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

void Board::attach(const std::shared_ptr<const deliver::Run>& run) {
  const std::scoped_lock lock(mutex_);
  run_ = run;
  ++num_runs_;
  last_.reset();
  recent_.clear();
  handed_over_.reset();
}

void Board::detach() {
  const std::scoped_lock lock(mutex_);
  last_ = look();
  run_.reset();
}

void Board::show(const batch::Batch& batch) {
  const Clock::time_point now = Clock::now();
  std::shared_ptr<const deliver::Run> run;
  {
    const std::scoped_lock lock(mutex_);
    handed_over_ = now;
    if (!wants_samples(now)) return;
    run = run_.lock();
  }
  if (run == nullptr) return;
  Thumbnails samples = make_thumbnails(run->plan(), batch);
  auto bmp = std::make_shared<const std::string>(bmp_file(samples));
  samples.pixels.clear();
  const std::scoped_lock lock(mutex_);
  samples_ = std::move(samples);
  samples_bmp_ = std::move(bmp);
  drawn_at_ = now;
  ++num_drawn_;
}

bool Board::wants_samples(Clock::time_point now) const {
  return asked_at_ && now - *asked_at_ < kLookTime &&
         (!drawn_at_ || now - *drawn_at_ >= kSampleInterval);
}

std::optional<deliver::RunStats> Board::look() const {
  const auto run = run_.lock();
  return run == nullptr ? last_ : std::optional(run->stats());
}

void Board::remember(const deliver::RunStats& stats) {
  if (!recent_.empty() && stats.elapsed_s - recent_.back().elapsed_s < kSnapshotIntervalS) return;
  recent_.push_back(stats);
  // One that is older than the window is kept, so that the window is full.
  while (recent_.size() > 2 && stats.elapsed_s - recent_[1].elapsed_s >= kWindowS) {
    recent_.pop_front();
  }
}

std::string Board::live_json() {
  const Clock::time_point now = Clock::now();
  const std::scoped_lock lock(mutex_);
  asked_at_ = now;
  LiveView view{.run = num_runs_, .samples = samples_, .samples_version = num_drawn_};
  if (handed_over_) view.idle_s = seconds_between(*handed_over_, now);
  view.end = look();
  if (view.end) {
    view.begin = recent_.empty() ? deliver::RunStats{} : recent_.front();
    remember(*view.end);
  }
  return print_live(view);
}

std::shared_ptr<const std::string> Board::samples_bmp() const {
  const std::scoped_lock lock(mutex_);
  return samples_bmp_;
}

std::string Board::metrics_text() const {
  const std::scoped_lock lock(mutex_);
  const auto stats = look();
  return stats ? print_metrics(*stats) : std::string();
}

}  // namespace penstock::serve
