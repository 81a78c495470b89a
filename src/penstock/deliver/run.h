// A running pipeline: it owns the threads, and hands over batches in order.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/deliver/assembly.h"
#include "penstock/deliver/counters.h"
#include "penstock/deliver/entry_points.h"
#include "penstock/deliver/errors.h"
#include "penstock/deliver/memory.h"
#include "penstock/deliver/reader.h"
#include "penstock/deliver/sample_cache.h"
#include "penstock/deliver/schedule.h"
#include "penstock/deliver/worker.h"
#include "penstock/pipeline/plan.h"
#include "penstock/pipeline/state.h"
#include "penstock/storage/cache/cache_stats.h"

namespace penstock::deliver {

struct RunOptions {
  int threads = 0;  // workers that decode and transform; 0: one a core
  int prefetch =
      2;  // whole batches kept ready beside the one being filled; fewer if memory is short
  std::optional<std::uint64_t> memory_bytes;  // ceiling; nullopt: a quarter of the machine's memory
  Place begin;                                // where a run that is resumed goes on
  ErrorOptions errors;
  EntryPointUse entry_points = EntryPointUse::kLearn;  // changes no pixel, only the time they take
  // Run::sample_cache() of an earlier run of the same pipeline, which goes on with what is in it.
  // Null: if the plan asks for one, it is new.
  std::shared_ptr<SampleCache> sample_cache;
};

// One stage over all threads.
struct StageStats {
  std::string_view name;
  double busy_s = 0;
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

struct RunStats {
  int threads = 0;
  std::uint64_t samples = 0;     // written into batches
  std::uint64_t batches = 0;     // handed over
  std::uint64_t read_bytes = 0;  // from storage
  double elapsed_s = 0;          // since the run began
  double consumer_wait_s = 0;    // next() waiting for a batch
  std::vector<StageStats> reader_stages;
  std::vector<StageStats> worker_stages;
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
  // After the batch that was handed over last, as a text to keep with the model.
  std::string state() const;
  RunStats stats() const;
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

  void launch();
  void work(ThreadCounters& counters);
  // The batch is handed over.
  void note(const batch::Batch& batch);
  MemoryStats memory_stats() const;
  // What this run did, if it is the only one that uses the cache.
  SampleCacheStats cache_stats() const;
  // The next group for a worker: from the readers, or straight from the schedule.
  std::optional<LoadedGroup> take_group(Stretch& own, const std::optional<LoadedGroup>& used);

  const std::shared_ptr<const pipeline::Plan> plan_;
  const std::unique_ptr<EntryPoints> entry_points_;  // null: none are used
  const std::shared_ptr<SampleCache> cache_;         // null: samples are not kept
  const SampleCacheStats cache_before_;              // when the run began
  const MemoryPlan memory_;
  const int num_threads_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const std::unique_ptr<Schedule> schedule_;
  const std::unique_ptr<ErrorLog> errors_;
  const std::unique_ptr<BlockBuffer> blocks_;  // null: there are none
  ReadAhead read_ahead_;
  const std::shared_ptr<Assembly> assembly_;
  Workshop workshop_;
  mutable std::mutex progress_mutex_;
  pipeline::State progress_;  // guarded by progress_mutex_
  std::vector<std::unique_ptr<ThreadCounters>> worker_counters_;
  std::vector<std::unique_ptr<ThreadCounters>> reader_counters_;
  std::vector<std::jthread> threads_;
};

}  // namespace penstock::deliver
