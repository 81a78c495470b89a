// Threads: readers bring bytes, workers fill slots, the consumer takes batches.
#include "penstock/deliver/run.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "penstock/deliver/machine.h"

namespace penstock::deliver {
namespace {

Status check_options(const RunOptions& options) {
  if (options.threads < 0 || options.threads > 1024) {
    return invalid_argument("threads is ", options.threads, ", expected 1 to 1024, or 0 for auto");
  }
  if (options.prefetch < 0 || options.prefetch > 1024) {
    return invalid_argument("prefetch is ", options.prefetch, ", expected 0 to 1024");
  }
  return {};
}

std::vector<StageStats> stage_stats(const std::vector<std::unique_ptr<ThreadCounters>>& threads,
                                    std::span<const Stage> stages) {
  std::vector<StageStats> out;
  for (const Stage stage : stages) {
    const auto index = static_cast<std::size_t>(stage);
    std::uint64_t busy_ns = 0;
    for (const auto& thread : threads) {
      busy_ns += thread->busy_ns[index].load(std::memory_order_relaxed);
    }
    out.push_back({kStageNames[index], static_cast<double>(busy_ns) * 1e-9});
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<Run>> Run::start(std::shared_ptr<const pipeline::Plan> plan,
                                        const RunOptions& options) {
  PENSTOCK_TRY(check_options(options));
  const int num_threads = options.threads > 0 ? options.threads : available_cores();
  Parts parts;
  parts.entry_points = EntryPoints::open(*plan, options.entry_points);
  if (plan->memory_cache()) parts.cache = options.sample_cache;
  if (parts.cache != nullptr && !parts.cache->is_of(*plan)) {
    return invalid_argument("sample_cache is of another pipeline");
  }
  PENSTOCK_TRY_ASSIGN(
      parts.memory,
      plan_memory(
          *plan,
          {.num_threads = num_threads,
           .prefetch = options.prefetch,
           .ceiling_bytes = options.memory_bytes.value_or(available_memory_bytes() / 4),
           .entry_point_bytes =
               parts.entry_points == nullptr ? 0 : parts.entry_points->store().wanted_bytes(),
           .sample_cache_bytes =
               parts.cache == nullptr ? std::nullopt : std::optional(parts.cache->max_bytes())}));
  if (parts.cache == nullptr && plan->memory_cache() && plan->reads_storage()) {
    parts.cache = std::make_shared<SampleCache>(*plan, parts.memory.sample_cache_bytes);
  }
  if (parts.entry_points != nullptr) {
    parts.entry_points->store().load(parts.memory.entry_point_bytes);
  }
  PENSTOCK_TRY_ASSIGN(parts.schedule,
                      Schedule::make(*plan, parts.memory.group_size, options.begin));
  PENSTOCK_TRY_ASSIGN(parts.errors, ErrorLog::open(*plan, options.errors, options.begin.epoch));
  parts.plan = std::move(plan);
  std::unique_ptr<Run> run(new Run(std::move(parts), num_threads, options));
  run->launch();
  return run;
}

Run::Run(Parts parts, int num_threads, const RunOptions& options)
    : plan_(std::move(parts.plan)),
      entry_points_(std::move(parts.entry_points)),
      cache_(std::move(parts.cache)),
      cache_before_(cache_ == nullptr ? SampleCacheStats{} : cache_->stats()),
      memory_(parts.memory),
      num_threads_(num_threads),
      schedule_(std::move(parts.schedule)),
      errors_(std::move(parts.errors)),
      blocks_(memory_.blocks.max_bytes == 0 ? nullptr
                                            : std::make_unique<BlockBuffer>(memory_.blocks)),
      read_ahead_(memory_.reading),
      assembly_(
          std::make_shared<Assembly>(plan_->layout(), memory_.slots, schedule_->num_batches())),
      workshop_{*plan_,      memory_, options.errors.on_error, *assembly_, entry_points_.get(),
                cache_.get()},
      progress_(pipeline::initial_state(*plan_)) {
  progress_.epoch = options.begin.epoch;
  progress_.position = options.begin.position;
  progress_.num_bad = options.errors.num_known;
}

void Run::launch() {
  for (int i = 0; i < num_threads_; ++i) {
    worker_counters_.push_back(std::make_unique<ThreadCounters>());
    threads_.emplace_back([this, counters = worker_counters_.back().get()] { work(*counters); });
  }
  if (!plan_->reads_storage()) return;
  for (std::size_t i = 0; i < memory_.num_readers; ++i) {
    reader_counters_.push_back(std::make_unique<ThreadCounters>());
    threads_.emplace_back([this, counters = reader_counters_.back().get()] {
      read_ahead_.read_all({*plan_, entry_points_.get(), blocks_.get(), cache_.get()}, *schedule_,
                           *counters);
    });
  }
}

Run::~Run() {
  stop();
  threads_.clear();
}

void Run::stop() {
  assembly_->stop();
  read_ahead_.close();
}

Result<Run::BatchPtr> Run::next() {
  while (true) {
    auto batch = next_within(std::chrono::hours(1));
    if (batch) return std::move(*batch);
  }
}

std::optional<Result<Run::BatchPtr>> Run::next_within(std::chrono::milliseconds timeout) {
  auto batch = assembly_->next(timeout);
  if (!batch || !batch->ok()) return batch;
  if (batch->value() == nullptr) {
    // Who starts the next run right away finds what this one learnt.
    if (entry_points_ != nullptr) entry_points_->store().flush();
    return batch;
  }
  Status status = errors_->add(*batch->value());
  if (!status.ok()) {
    assembly_->fail_from_now(status);
    return Result<BatchPtr>(std::move(status));
  }
  note(*batch->value());
  return batch;
}

void Run::note(const batch::Batch& batch) {
  const std::scoped_lock lock(progress_mutex_);
  const bool ends_epoch = batch.end_position == plan_->sequence().size();
  progress_.epoch = batch.epoch + (ends_epoch ? 1 : 0);
  progress_.position = ends_epoch ? 0 : batch.end_position;
  progress_.num_bad = ends_epoch ? 0 : errors_->num_bad_in_epoch();
  ++progress_.num_batches;
  progress_.num_samples += batch.count;
}

std::string Run::state() const {
  const std::scoped_lock lock(progress_mutex_);
  return pipeline::print_state(progress_);
}

std::optional<LoadedGroup> Run::take_group(Stretch& own, const std::optional<LoadedGroup>& used) {
  if (plan_->reads_storage()) {
    if (used) read_ahead_.recycle(*used);
    return read_ahead_.receive();
  }
  std::optional<Group> group = schedule_->next();
  if (!group) return std::nullopt;
  own.clear();
  own.add(std::move(*group));
  return LoadedGroup{.stretch = &own};
}

void Run::work(ThreadCounters& counters) {
  Worker worker(workshop_, counters);
  Stretch own;  // if nothing is read
  std::optional<LoadedGroup> loaded = take_group(own, std::nullopt);
  while (loaded && worker.write(*loaded)) loaded = take_group(own, loaded);
}

MemoryStats Run::memory_stats() const {
  MemoryStats stats;
  stats.ceiling_bytes = memory_.ceiling_bytes;
  stats.index_bytes = memory_.index_bytes;
  stats.slot_bytes = assembly_->num_slots() * plan_->slot_bytes();
  for (const auto& thread : reader_counters_) {
    stats.read_bytes += thread->held_bytes.load(std::memory_order_relaxed);
  }
  for (const auto& thread : worker_counters_) {
    stats.scratch_bytes += thread->held_bytes.load(std::memory_order_relaxed);
  }
  if (blocks_ != nullptr) stats.block_bytes = blocks_->held_bytes();
  if (entry_points_ != nullptr) stats.entry_point_bytes = entry_points_->store().memory_bytes();
  if (cache_ != nullptr) stats.cache_bytes = cache_->held_bytes();
  return stats;
}

SampleCacheStats Run::cache_stats() const {
  SampleCacheStats stats = cache_->stats();
  stats.hit_bytes -= cache_before_.hit_bytes;
  stats.missed_bytes -= cache_before_.missed_bytes;
  return stats;
}

RunStats Run::stats() const {
  constexpr std::array kReaderStages = {Stage::kRead, Stage::kWait};
  constexpr std::array kWorkerStages = {Stage::kDecode, Stage::kTransform, Stage::kWait};
  RunStats stats;
  stats.threads = num_threads_;
  for (const auto& thread : worker_counters_) {
    stats.samples += thread->samples.load(std::memory_order_relaxed);
  }
  for (const auto& thread : reader_counters_) {
    stats.read_bytes += thread->bytes.load(std::memory_order_relaxed);
  }
  {
    const std::scoped_lock lock(progress_mutex_);
    stats.batches = progress_.num_batches;
  }
  stats.elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  stats.consumer_wait_s = static_cast<double>(assembly_->consumer_wait_ns()) * 1e-9;
  stats.reader_stages = stage_stats(reader_counters_, kReaderStages);
  stats.worker_stages = stage_stats(worker_counters_, kWorkerStages);
  stats.bad_samples = errors_->num_bad();
  stats.bad_samples_in_epoch = errors_->num_bad_in_epoch();
  if (entry_points_ != nullptr) stats.entry_points = entry_points_->store().stats();
  if (plan_->disk_cache() != nullptr) stats.disk_cache = plan_->disk_cache()->stats();
  if (cache_ != nullptr) stats.memory_cache = cache_stats();
  stats.memory = memory_stats();
  return stats;
}

}  // namespace penstock::deliver
