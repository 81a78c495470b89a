// Finds how many threads and prefetched batches a run needs, by trying and measuring.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/deliver/snapshot.h"

namespace penstock::deliver {

struct Setting {
  int threads = 1;
  int prefetch = 2;
  friend bool operator==(const Setting&, const Setting&) = default;
};

// What the tuner may change, and how far.
struct TunerLimits {
  bool tunes_threads = true;
  bool tunes_prefetch = true;
  int max_threads = 1;   // cores, or fewer
  int max_prefetch = 2;  // what memory has room for
};

// One change, for people.
struct TunerStep {
  double time_s = 0;  // since the run began
  std::string_view what;
  int from = 0;
  int to = 0;
  std::string why;
};

// Changes one thing at a time and keeps what helped: more threads or batches while the consumer
// waits, fewer while it does not. Not thread-safe; has no clock of its own.
class Tuner {
 public:
  Tuner(const Setting& begin, const TunerLimits& limits);

  // Called often, with what was counted so far: the setting from now on.
  Setting look(const Snapshot& now);

  const Setting& setting() const { return setting_; }
  const std::vector<TunerStep>& steps() const { return steps_; }

 private:
  // How the run went since the last change.
  struct Window {
    double rate = 0;          // samples a second that the consumer took
    double waiting = 0;       // share of the time that it waited
    double busy_threads = 0;  // workers that worked, on average
    double starved = 0;       // share of the workers' time that they waited for bytes
    double blocked = 0;       // the same for a slot
  };
  struct Trial {
    Setting before;
    Window window;
    bool is_more = false;
  };

  static Window measure(const Snapshot& passed);
  // False while there is too little to judge by.
  bool is_window_full(const Snapshot& now);
  bool keep_to_limits(double time_s);
  void judge(const Window& window, double time_s);
  // Begin a trial, if there is something worth trying.
  void try_more(const Window& window, double time_s);
  void try_less(const Window& window, double time_s);
  void begin_trial(const Setting& to, const Window& window, std::string why, double time_s);
  void change(const Setting& to, std::string why, double time_s);
  void forget_if_changed(const Window& window, double time_s);

  TunerLimits limits_;
  Setting setting_;
  double measures_from_s_ = 0;
  std::optional<Snapshot> begin_;  // of the window
  std::optional<Trial> trial_;
  // What did not help is not tried again until the load is another.
  int useless_threads_ = 0, useless_prefetch_ = 0;  // more than so many
  int needed_threads_ = 0, needed_prefetch_ = 0;    // fewer than so many cost time
  std::optional<Window> learnt_at_;
  double learnt_time_s_ = 0;
  std::size_t lowest_ready_ = 0;  // batches, in the window
  std::vector<TunerStep> steps_;
};

}  // namespace penstock::deliver
