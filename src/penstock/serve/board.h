// What there is to see: the run under way, and the samples that it delivered last.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "penstock/batch/batch.h"
#include "penstock/deliver/run.h"
#include "penstock/serve/live.h"
#include "penstock/serve/thumbnails.h"

namespace penstock::serve {

// Safe from any thread. Keeps no run alive, and no batch.
class Board {
 public:
  // From now on this run is shown.
  void attach(const std::shared_ptr<const deliver::Run>& run);
  // The run is about to end: nobody asks it any more when this returns. Its last figures remain.
  void detach();

  // Tells of a batch that was handed over, before the consumer gets it. Now and then, if somebody
  // looks, its first images are copied.
  void show(const batch::Batch& batch);

  // The figures of now and of the last seconds.
  std::string live_json();
  // The pictures that live_json() numbers; empty if there are none.
  std::string samples_bmp() const;
  // For Prometheus; empty if nothing ran yet.
  std::string metrics_text() const;

 private:
  using Clock = std::chrono::steady_clock;

  // With mutex_ held: what the run did so far, or in all.
  std::optional<RunFigures> look() const;
  // With mutex_ held: the verdict of `figures`, or the last one there was if nothing was delivered
  // in the seconds that it is of.
  const analyze::Verdict& verdict(const RunFigures& figures);
  // With mutex_ held.
  bool wants_samples(Clock::time_point now) const;

  mutable std::mutex mutex_;  // guards everything
  std::weak_ptr<const deliver::Run> run_;
  std::uint64_t num_runs_ = 0;
  std::optional<RunFigures> last_;                // of a run that was detached
  std::optional<Clock::time_point> asked_at_;     // when somebody looked last
  std::optional<Clock::time_point> handed_over_;  // when a batch was
  std::optional<Clock::time_point> drawn_at_;     // when samples_ was made
  std::optional<analyze::Verdict> verdict_;       // the last on this run that names a limit
  std::shared_ptr<const Thumbnails> samples_ = std::make_shared<Thumbnails>();
  std::uint64_t num_drawn_ = 0;  // how often samples_ was made
};

}  // namespace penstock::serve
