// Answers from what is there: no request waits for the run, and no run for a request.
#include "penstock/serve/board.h"

#include <utility>

#include "penstock/serve/metrics.h"

namespace penstock::serve {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Who asked so long ago looks no more.
constexpr seconds kLookTime(3);
// How often samples change: a person wants to see them.
constexpr milliseconds kSampleInterval(2000);

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
  verdict_.reset();
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
  auto samples = std::make_shared<const Thumbnails>(make_thumbnails(run->plan(), batch));
  const std::scoped_lock lock(mutex_);
  samples_ = std::move(samples);
  drawn_at_ = now;
  ++num_drawn_;
}

bool Board::wants_samples(Clock::time_point now) const {
  return asked_at_ && now - *asked_at_ < kLookTime &&
         (!drawn_at_ || now - *drawn_at_ >= kSampleInterval);
}

std::optional<RunFigures> Board::look() const {
  const auto run = run_.lock();
  return run == nullptr ? last_ : std::optional(look_at(*run));
}

const analyze::Verdict& Board::verdict(const RunFigures& figures) {
  if (!figures.verdict.limit.empty()) verdict_ = figures.verdict;
  return verdict_ ? *verdict_ : figures.verdict;
}

std::string Board::live_json() {
  const Clock::time_point now = Clock::now();
  const std::scoped_lock lock(mutex_);
  asked_at_ = now;
  auto figures = look();
  if (figures) figures->verdict = verdict(*figures);
  LiveView view{.run = num_runs_,
                .figures = figures ? &*figures : nullptr,
                .samples = *samples_,
                .samples_version = num_drawn_};
  if (handed_over_) view.idle_s = seconds_between(*handed_over_, now);
  return print_live(view);
}

std::string Board::samples_bmp() const {
  const auto samples = [this] {
    const std::scoped_lock lock(mutex_);
    return samples_;
  }();
  return bmp_file(*samples);
}

std::string Board::metrics_text() const {
  const std::scoped_lock lock(mutex_);
  const auto figures = look();
  return figures ? print_metrics(figures->stats) : std::string();
}

}  // namespace penstock::serve
