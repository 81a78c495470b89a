// Threads: readers bring bytes, workers fill slots, the consumer takes batches.
#include "penstock/deliver/run.h"

#include <algorithm>
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

// More do not help a consumer that much.
constexpr int kMaxTunedPrefetch = 64;

void add_threads(std::string_view kind, const Crew& crew, std::vector<ThreadStats>& out) {
  for (const auto& thread : crew.counters()) {
    out.push_back({.kind = kind,
                   .busy_s = thread->busy_s(Stage::kRead) + thread->busy_s(Stage::kDecode) +
                             thread->busy_s(Stage::kTransform),
                   .wait_input_s = thread->busy_s(Stage::kWaitInput),
                   .wait_output_s = thread->busy_s(Stage::kWaitOutput),
                   .samples = thread->samples.load(std::memory_order_relaxed)});
  }
}

}  // namespace

Result<std::unique_ptr<Run>> Run::start(std::shared_ptr<const pipeline::Plan> plan,
                                        const RunOptions& options) {
  PENSTOCK_TRY(check_options(options));
  // A run that tunes itself may have to go up to one thread a core.
  const int cores = available_cores();
  int num_threads = options.threads > 0 ? options.threads : cores;
  if (options.tunes_threads) num_threads = std::max(num_threads, cores);
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
           .num_running = std::min(num_threads, cores),
           .prefetch = options.prefetch,
           .max_prefetch = options.tunes_prefetch ? kMaxTunedPrefetch : 0,
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
  return std::unique_ptr<Run>(new Run(std::move(parts), num_threads, options));
}

Run::Run(Parts parts, int num_threads, const RunOptions& options)
    : plan_(std::move(parts.plan)),
      entry_points_(std::move(parts.entry_points)),
      cache_(std::move(parts.cache)),
      cache_before_(cache_ == nullptr ? SampleCacheStats{} : cache_->stats()),
      memory_(parts.memory),
      schedule_(std::move(parts.schedule)),
      errors_(std::move(parts.errors)),
      blocks_(memory_.blocks.max_bytes == 0 ? nullptr
                                            : std::make_unique<BlockBuffer>(memory_.blocks)),
      read_ahead_(memory_.reading),
      assembly_(
          std::make_shared<Assembly>(plan_->layout(), memory_.slots, schedule_->num_batches())),
      workshop_{*plan_,      memory_, options.errors.on_error, *assembly_, entry_points_.get(),
                cache_.get()},
      progress_(pipeline::initial_state(*plan_)),
      tunes_threads_(options.tunes_threads),
      cores_(available_cores()),
      tuner_({.threads = options.threads > 0 ? options.threads : num_threads,
              .prefetch = static_cast<int>(memory_.slots.depth) - 1},
             {.tunes_threads = options.tunes_threads,
              .tunes_prefetch = options.tunes_prefetch,
              .max_threads = cores_,
              .max_prefetch = static_cast<int>(memory_.slots.max_depth) - 1}) {
  gate_.open(std::min(tuner_.setting().threads, cores_));
  progress_.epoch = options.begin.epoch;
  progress_.position = options.begin.position;
  progress_.num_bad = options.errors.num_known;
  launch(num_threads, options.counts);
}

void Run::launch(int num_threads, bool counts) {
  workers_.start(num_threads, counts,
                 [this](int number, ThreadCounters& counters) { work(number, counters); });
  if (plan_->reads_storage()) {
    readers_.start(
        static_cast<int>(memory_.num_readers), counts, [this](int, ThreadCounters& counters) {
          read_ahead_.read_all({*plan_, entry_points_.get(), blocks_.get(), cache_.get()},
                               *schedule_, counters);
        });
  }
  if (!counts) return;
  monitor_ = std::make_unique<Monitor>(
      [this] { return is_over() ? std::nullopt : std::optional(count()); },
      [this](const Snapshot& seen) { tune(seen); });
}

Run::~Run() {
  stop();
  monitor_.reset();
  readers_.join();
  workers_.join();
}

void Run::stop() {
  end_counting();
  assembly_->stop();
  read_ahead_.close();
  gate_.close();
}

Result<Run::BatchPtr> Run::next() {
  while (true) {
    auto batch = next_within(std::chrono::hours(1));
    if (batch) return std::move(*batch);
  }
}

std::optional<Result<Run::BatchPtr>> Run::next_within(std::chrono::milliseconds timeout) {
  batch_times_.ask();
  auto batch = assembly_->next(timeout);
  if (!batch || !batch->ok() || batch->value() == nullptr) {
    batch_times_.give_up();
  } else {
    batch_times_.hand_over(batch->value()->count);
  }
  if (!batch) return batch;
  if (!batch->ok() || batch->value() == nullptr) end_counting();
  if (!batch->ok()) return batch;
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

std::optional<LoadedGroup> Run::take_group(Stretch& own) {
  if (plan_->reads_storage()) return read_ahead_.receive();
  std::optional<Group> group = schedule_->next();
  if (!group) return std::nullopt;
  own.clear();
  own.add(std::move(*group));
  return LoadedGroup{.stretch = &own};
}

void Run::work(int number, ThreadCounters& counters) {
  Worker worker(workshop_, counters);
  Stretch own;  // if nothing is read
  std::optional<LoadedGroup> loaded;
  do {
    if (loaded && plan_->reads_storage()) read_ahead_.recycle(*loaded);
    if (!gate_.pass(number)) return;
    worker.begin();
    loaded = take_group(own);
  } while (loaded && worker.write(*loaded));
}

void Run::tune(const Snapshot& seen) {
  const std::scoped_lock lock(tuner_mutex_);
  const Setting before = tuner_.setting();
  const Setting setting = tuner_.look(seen);
  if (setting.threads != before.threads) gate_.open(std::min(setting.threads, cores_));
  if (setting.prefetch != before.prefetch) {
    assembly_->set_depth(static_cast<std::size_t>(setting.prefetch) + 1);
  }
}

MemoryStats Run::memory_stats() const {
  MemoryStats stats;
  stats.ceiling_bytes = memory_.ceiling_bytes;
  stats.index_bytes = memory_.index_bytes;
  stats.slot_bytes = assembly_->num_slots() * plan_->slot_bytes();
  stats.read_bytes = readers_.held_bytes();
  stats.scratch_bytes = workers_.held_bytes();
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

bool Run::is_over() const {
  const std::scoped_lock lock(last_mutex_);
  return last_.has_value();
}

void Run::end_counting() {
  const std::scoped_lock lock(last_mutex_);
  if (!last_) last_ = count();
}

Snapshot Run::snapshot() const {
  const std::scoped_lock lock(last_mutex_);
  return last_ ? *last_ : count();
}

Snapshot Run::count() const {
  Snapshot out;
  out.time_s = std::chrono::duration<double>(BatchTimes::Clock::now() - began_).count();
  batch_times_.count(out);
  out.read.threads = readers_.size();
  out.read.samples = readers_.samples();
  out.read.bytes = readers_.bytes();
  out.read.busy_s = readers_.busy_s(Stage::kRead);
  out.read.wait_output_s = readers_.busy_s(Stage::kWaitOutput);
  out.decode.threads = out.transform.threads = gate_.num_open();
  out.decode.samples = out.transform.samples = workers_.samples();
  out.decode.bytes = workers_.decoded_bytes();
  out.decode.busy_s = workers_.busy_s(Stage::kDecode);
  out.decode.wait_input_s = workers_.busy_s(Stage::kWaitInput);
  out.transform.busy_s = workers_.busy_s(Stage::kTransform);
  out.transform.wait_output_s = workers_.busy_s(Stage::kWaitOutput);
  out.reader_cpu_s = readers_.cpu_s();
  out.worker_cpu_s = workers_.cpu_s();
  out.process_cpu_s = process_cpu_s();
  out.machine_cpu_s = machine_cpu_s();
  out.ready_batches = assembly_->num_ready();
  out.max_ready_batches = assembly_->depth();
  out.loaded_groups = read_ahead_.num_loaded();
  out.max_loaded_groups = read_ahead_.max_loaded();
  return out;
}

std::vector<Snapshot> Run::history() const {
  return monitor_ == nullptr ? std::vector<Snapshot>{} : monitor_->history();
}

ThreadTrace Run::trace_of(std::string name, const ThreadCounters& thread) const {
  const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
  ThreadTrace out{.name = std::move(name)};
  for (const TraceEvent& event : thread.trace.events()) {
    out.events.push_back({event.name, seconds(event.begin - began_),
                          seconds(event.end - event.begin), event.batch, event.samples});
  }
  return out;
}

std::vector<ThreadTrace> Run::traces() const {
  std::vector<ThreadTrace> out;
  const auto add = [&](std::string_view kind, const Crew& crew) {
    for (const auto& thread : crew.counters()) {
      const std::size_t number = static_cast<std::size_t>(&thread - crew.counters().data());
      out.push_back(trace_of(concat(kind, " ", number), *thread));
    }
  };
  add("reader", readers_);
  add("worker", workers_);
  return out;
}

RunStats Run::stats() const {
  RunStats stats;
  stats.now = snapshot();
  add_threads("reader", readers_, stats.threads);
  add_threads("worker", workers_, stats.threads);
  stats.cores = cores_;
  {
    const std::scoped_lock lock(tuner_mutex_);
    stats.num_threads = tuner_.setting().threads;
    stats.prefetch = tuner_.setting().prefetch;
    stats.tuning = tuner_.steps();
  }
  stats.bad_samples = errors_->num_bad();
  stats.bad_samples_in_epoch = errors_->num_bad_in_epoch();
  if (entry_points_ != nullptr) stats.entry_points = entry_points_->store().stats();
  if (plan_->disk_cache() != nullptr) stats.disk_cache = plan_->disk_cache()->stats();
  if (cache_ != nullptr) stats.memory_cache = cache_stats();
  stats.memory = memory_stats();
  return stats;
}

}  // namespace penstock::deliver
