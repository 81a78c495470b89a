// A running pipeline: it owns the threads, and hands over batches in order.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/deliver/assembly.h"
#include "penstock/deliver/batch_times.h"
#include "penstock/deliver/crew.h"
#include "penstock/deliver/entry_points.h"
#include "penstock/deliver/errors.h"
#include "penstock/deliver/memory.h"
#include "penstock/deliver/monitor.h"
#include "penstock/deliver/reader.h"
#include "penstock/deliver/sample_cache.h"
#include "penstock/deliver/schedule.h"
#include "penstock/deliver/snapshot.h"
#include "penstock/deliver/thread_gate.h"
#include "penstock/deliver/tuner.h"
#include "penstock/deliver/worker.h"
#include "penstock/pipeline/plan.h"
#include "penstock/pipeline/state.h"
#include "penstock/storage/cache/cache_stats.h"

namespace penstock::deliver {

struct RunOptions {
  int threads = 0;  // workers that decode and transform; 0: one a core
  // Whole batches kept ready beside the one being filled; fewer if memory is short.
  int prefetch = 2;
  // Whether the run changes them while it runs, to what feeds its consumer best.
  bool tunes_threads = false;
  bool tunes_prefetch = false;
  std::optional<std::uint64_t> memory_bytes;  // ceiling; nullopt: a quarter of the machine's memory
  Place begin;                                // where a run that is resumed goes on
  ErrorOptions errors;
  bool counts = true;                                  // false to measure what counting costs
  EntryPointUse entry_points = EntryPointUse::kLearn;  // changes no pixel, only the time they take
  // Run::sample_cache() of an earlier run of the same pipeline, which goes on with what is in it.
  // Null: if the plan asks for one, it is new.
  std::shared_ptr<SampleCache> sample_cache;
};

// Bytes held now.
struct MemoryStats {
  std::uint64_t ceiling_bytes = 0;
  std::uint64_t index_bytes = 0;    // the source
  std::uint64_t slot_bytes = 0;     // batches: filled, ready, with the consumer
  std::uint64_t read_bytes = 0;     // from storage, on their way to the workers
  std::uint64_t block_bytes = 0;    // of shards that are far away
  std::uint64_t scratch_bytes = 0;  // of the workers
  std::uint64_t entry_point_bytes = 0;
  std::uint64_t cache_bytes = 0;  // samples that are kept
};

// What one thread did last, in seconds since the run began.
struct ThreadTrace {
  struct Event {
    std::string_view name;
    double begin_s = 0;
    double length_s = 0;
    std::uint64_t batch = 0;    // in the run
    std::uint64_t samples = 0;  // 0 if it waited
  };
  std::string name;  // "reader 0", "worker 1"
  std::vector<Event> events;
};

// What one thread did.
struct ThreadStats {
  std::string_view kind;  // "reader", "worker"
  double busy_s = 0;
  double wait_input_s = 0;
  double wait_output_s = 0;
  std::uint64_t samples = 0;
};

struct RunStats {
  Snapshot now;
  std::vector<ThreadStats> threads;
  int cores = 1;        // that this process may use
  int num_threads = 0;  // workers; not more than one a core works at a time
  int prefetch = 0;     // batches
  std::vector<TunerStep> tuning;
  std::uint64_t bad_samples = 0;           // left out or replaced, in batches handed over
  std::uint64_t bad_samples_in_epoch = 0;  // of the batch handed over last
  EntryPointStats entry_points;            // all 0 if none are used
  std::optional<storage::CacheStats> disk_cache;
  std::optional<SampleCacheStats> memory_cache;
  MemoryStats memory;
};

// Held by shared_ptr where others than its consumer look at it.
class Run : public std::enable_shared_from_this<Run> {
 public:
  using BatchPtr = Assembly::BatchPtr;

  // Starts the threads. Fails if the memory ceiling is too low for the plan, naming what would do.
  static Result<std::unique_ptr<Run>> start(std::shared_ptr<const pipeline::Plan> plan,
                                            const RunOptions& options);

  // Stops and joins the threads, whatever state they are in.
  ~Run();

  // The next batch; null after the last one, when all entry points are written too. The batch may
  // be kept, and outlive the run.
  Result<BatchPtr> next();
  // The same, but gives up after `timeout` with nullopt.
  std::optional<Result<BatchPtr>> next_within(std::chrono::milliseconds timeout);

  // Ends the run: waiting calls return kCancelled. Safe from any thread.
  void stop();

  const pipeline::Plan& plan() const { return *plan_; }
  // Threads that it would use if it had use for them.
  int max_threads() const { return tunes_threads_ ? cores_ : gate_.num_open(); }
  // After the batch that was handed over last, as a text to keep with the model.
  std::string state() const;
  RunStats stats() const;
  // The last half minute, ten times a second; and the last batches.
  std::vector<Snapshot> history() const;
  std::vector<BatchTime> batch_times() const { return batch_times_.last(); }
  // What the threads did last.
  std::vector<ThreadTrace> traces() const;
  // Time that the consumer spent with functions of the pipeline on the batch it has, by the clock
  // and in CPU time.
  void add_map_time(double time_s, double cpu_s) { batch_times_.add_map(time_s, cpu_s); }
  // For the next run; null if samples are not kept.
  const std::shared_ptr<SampleCache>& sample_cache() const { return cache_; }

 private:
  struct Parts {
    std::shared_ptr<const pipeline::Plan> plan;
    std::unique_ptr<EntryPoints> entry_points;
    std::shared_ptr<SampleCache> cache;
    MemoryPlan memory;
    std::unique_ptr<Schedule> schedule;
    std::unique_ptr<ErrorLog> errors;
  };
  Run(Parts parts, int num_threads, const RunOptions& options);

  void launch(int num_threads, bool counts);
  void work(int number, ThreadCounters& counters);
  Snapshot count() const;
  // The same, but as it was at the end once the run is over.
  Snapshot snapshot() const;
  void end_counting();
  bool is_over() const;
  ThreadTrace trace_of(std::string name, const ThreadCounters& thread) const;
  // What the tuner wants, given what the run did.
  void tune(const Snapshot& seen);
  // The batch is handed over.
  void note(const batch::Batch& batch);
  MemoryStats memory_stats() const;
  // What this run did, if it is the only one that uses the cache.
  SampleCacheStats cache_stats() const;
  // The next group for a worker: from the readers, or straight from the schedule.
  std::optional<LoadedGroup> take_group(Stretch& own);

  const std::shared_ptr<const pipeline::Plan> plan_;
  const std::unique_ptr<EntryPoints> entry_points_;  // null: none are used
  const std::shared_ptr<SampleCache> cache_;         // null: samples are not kept
  const SampleCacheStats cache_before_;              // when the run began
  const MemoryPlan memory_;
  const BatchTimes::Clock::time_point began_ = BatchTimes::Clock::now();
  const std::unique_ptr<Schedule> schedule_;
  const std::unique_ptr<ErrorLog> errors_;
  const std::unique_ptr<BlockBuffer> blocks_;  // null: there are none
  ReadAhead read_ahead_;
  const std::shared_ptr<Assembly> assembly_;
  Workshop workshop_;
  mutable std::mutex progress_mutex_;
  pipeline::State progress_;  // guarded by progress_mutex_
  BatchTimes batch_times_{began_};
  mutable std::mutex last_mutex_;
  std::optional<Snapshot> last_;  // guarded by last_mutex_; once the run is over
  const bool tunes_threads_;
  const int cores_;
  // Of the workers. More than one a core would take turns, and find their memory cold.
  ThreadGate gate_{0};
  mutable std::mutex tuner_mutex_;
  Tuner tuner_;  // guarded by tuner_mutex_
  Crew workers_;
  Crew readers_;
  std::unique_ptr<Monitor> monitor_;  // null: nothing is counted
};

}  // namespace penstock::deliver
