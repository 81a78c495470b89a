// Hill climbing with a memory of what did not help.
#include "penstock/deliver/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace penstock::deliver {
namespace {

// What was begun before a change is not counted as its effect.
constexpr double kSettleSeconds = 0.2;
constexpr double kWindowSeconds = 0.4;
constexpr std::uint64_t kMinBatches = 4;
// A consumer that waits less than this share of its time is fed.
constexpr double kFedShare = 0.03;
// More of something must give at least this to be worth it.
constexpr double kWorthGain = 0.03;
constexpr double kBlockedShare = 0.03;
constexpr double kStarvedShare = 0.5;
// Threads beyond those that are busy on average, for the times when there is more to do.
constexpr double kSpareThreads = 1.15;
constexpr int kMinPrefetch = 2;
constexpr int kMuchLess = 8;
// The load is another one if it changed by so much; and after a while it is worth a second look.
constexpr double kOtherLoad = 0.15;
constexpr double kRememberedSeconds = 20;
constexpr std::size_t kNumStepsKept = 200;

}  // namespace

Tuner::Tuner(const Setting& begin, const TunerLimits& limits) : limits_(limits), setting_(begin) {}

Tuner::Window Tuner::measure(const Snapshot& passed) {
  const double workers_s = passed.time_s * std::max(1, passed.decode.threads);
  const double waited_s = passed.trainer.wait_input_s;
  // From batch to batch: of the few in a window, one more or less would look like a change.
  return {.rate = static_cast<double>(passed.trainer.samples) / passed.last_batch_s,
          .waiting = waited_s / passed.time_s,
          .busy_threads = (passed.decode.busy_s + passed.transform.busy_s) / passed.time_s,
          .starved = passed.decode.wait_input_s / workers_s,
          .blocked = passed.transform.wait_output_s / workers_s};
}

bool Tuner::is_window_full(const Snapshot& now) {
  if (now.time_s < measures_from_s_) return false;
  if (!begin_) {
    begin_ = now;
    lowest_ready_ = now.ready_batches;
    return false;
  }
  lowest_ready_ = std::min(lowest_ready_, now.ready_batches);
  return now.time_s - begin_->time_s >= kWindowSeconds &&
         now.batches - begin_->batches >= kMinBatches;
}

Setting Tuner::look(const Snapshot& now) {
  if (keep_to_limits(now.time_s) || !is_window_full(now)) return setting_;
  const Window window = measure(difference(now, *begin_));
  begin_.reset();
  if (trial_) {
    judge(window, now.time_s);
    return setting_;
  }
  forget_if_changed(window, now.time_s);
  if (window.waiting > kFedShare) {
    try_more(window, now.time_s);
  } else {
    try_less(window, now.time_s);
  }
  return setting_;
}

bool Tuner::keep_to_limits(double time_s) {
  Setting allowed = setting_;
  if (limits_.tunes_threads) allowed.threads = std::min(allowed.threads, limits_.max_threads);
  if (limits_.tunes_prefetch) {
    allowed.prefetch = std::min(std::max(allowed.prefetch, kMinPrefetch), limits_.max_prefetch);
  }
  if (allowed == setting_) return false;
  const Setting threads_only{allowed.threads, setting_.prefetch};
  if (threads_only != setting_) {
    change(threads_only, fmt::format("there are {} cores", limits_.max_threads), time_s);
  }
  if (allowed != setting_) {
    const bool is_more = allowed.prefetch > setting_.prefetch;
    change(allowed, is_more ? "one is filled while one is ready" : "memory has room for no more",
           time_s);
  }
  return true;
}

void Tuner::judge(const Window& window, double time_s) {
  const Trial trial = *std::exchange(trial_, std::nullopt);
  const double gain = window.rate / std::max(trial.window.rate, 1e-9) - 1;
  const bool is_good = trial.is_more ? gain >= kWorthGain : window.waiting <= kFedShare;
  if (is_good) return;
  const bool is_about_threads = trial.before.threads != setting_.threads;
  int& threads = trial.is_more ? useless_threads_ : needed_threads_;
  int& prefetch = trial.is_more ? useless_prefetch_ : needed_prefetch_;
  if (is_about_threads) {
    threads = trial.before.threads;
  } else {
    prefetch = trial.before.prefetch;
  }
  learnt_at_ = trial.window;
  learnt_time_s_ = time_s;
  change(trial.before,
         fmt::format("{} gave {:.0f} samples/s in place of {:.0f}, waiting {:.0f} %",
                     trial.is_more ? "more" : "fewer", window.rate, trial.window.rate,
                     100 * window.waiting),
         time_s);
}

void Tuner::try_more(const Window& window, double time_s) {
  Setting more = setting_;
  const std::string waits = fmt::format("the consumer waits {:.0f} %", 100 * window.waiting);
  if (limits_.tunes_prefetch && window.blocked > kBlockedShare &&
      setting_.prefetch < limits_.max_prefetch && setting_.prefetch != useless_prefetch_) {
    more.prefetch = std::min(2 * setting_.prefetch, limits_.max_prefetch);
    begin_trial(
        more, window,
        fmt::format("{} and threads wait {:.0f} % for a free slot", waits, 100 * window.blocked),
        time_s);
    return;
  }
  if (limits_.tunes_threads && window.starved < kStarvedShare &&
      setting_.threads < limits_.max_threads && setting_.threads != useless_threads_) {
    more.threads = std::min(2 * setting_.threads, limits_.max_threads);
    begin_trial(more, window,
                fmt::format("{} and {:.1f} threads are busy", waits, window.busy_threads), time_s);
  }
}

void Tuner::try_less(const Window& window, double time_s) {
  Setting less = setting_;
  const auto wanted = static_cast<int>(std::ceil(window.busy_threads * kSpareThreads));
  less.threads = std::max({1, wanted, needed_threads_});
  if (limits_.tunes_threads && less.threads < setting_.threads) {
    begin_trial(less, window,
                fmt::format("the consumer is fed and {:.1f} threads are busy", window.busy_threads),
                time_s);
    return;
  }
  less = setting_;
  less.prefetch = std::max({kMinPrefetch, setting_.prefetch / kMuchLess, needed_prefetch_});
  if (limits_.tunes_prefetch && less.prefetch < setting_.prefetch &&
      lowest_ready_ >= kMinPrefetch) {
    begin_trial(
        less, window,
        fmt::format("the consumer is fed and at least {} batches were ready", lowest_ready_),
        time_s);
  }
}

void Tuner::begin_trial(const Setting& to, const Window& window, std::string why, double time_s) {
  trial_ = Trial{.before = setting_,
                 .window = window,
                 .is_more = to.threads > setting_.threads || to.prefetch > setting_.prefetch};
  change(to, std::move(why), time_s);
}

void Tuner::change(const Setting& to, std::string why, double time_s) {
  const bool is_about_threads = to.threads != setting_.threads;
  steps_.push_back({.time_s = time_s,
                    .what = is_about_threads ? "threads" : "prefetch",
                    .from = is_about_threads ? setting_.threads : setting_.prefetch,
                    .to = is_about_threads ? to.threads : to.prefetch,
                    .why = std::move(why)});
  if (steps_.size() > kNumStepsKept) steps_.erase(steps_.begin());
  setting_ = to;
  measures_from_s_ = time_s + kSettleSeconds;
  begin_.reset();
}

void Tuner::forget_if_changed(const Window& window, double time_s) {
  if (!learnt_at_) return;
  const double rate_change = std::abs(window.rate / std::max(learnt_at_->rate, 1e-9) - 1);
  const double load_change = std::abs(window.busy_threads - learnt_at_->busy_threads) /
                             std::max(learnt_at_->busy_threads, 0.1);
  const bool is_other = rate_change > kOtherLoad || load_change > kOtherLoad;
  if (!is_other && time_s - learnt_time_s_ < kRememberedSeconds) return;
  learnt_at_.reset();
  useless_threads_ = useless_prefetch_ = needed_threads_ = needed_prefetch_ = 0;
}

}  // namespace penstock::deliver
