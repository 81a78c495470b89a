// Threads: readers bring bytes, workers fill slots, the consumer takes batches.
#include "penstock/deliver/run.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "penstock/base/units.h"
#include "penstock/deliver/fill.h"
#include "penstock/deliver/machine.h"

namespace penstock::deliver {
namespace {

constexpr int kNumReaders = 1;
// A group should be worth taking a lock for, and small enough that several threads share a batch.
constexpr std::size_t kGroupWorkBytes = 256 << 10;
// Groups on their way to the workers, beside the one that each works on.
constexpr std::size_t kGroupsAhead = 4;

std::size_t group_size(const pipeline::Plan& plan, int num_threads) {
  const std::size_t batch = plan.layout().capacity();
  const std::size_t sample_bytes =
      std::max<std::size_t>(1, plan.layout().size_bytes() / batch + plan.mean_sample_bytes());
  const std::size_t by_bytes = std::max<std::size_t>(1, kGroupWorkBytes / sample_bytes);
  const std::size_t by_share =
      std::max<std::size_t>(1, batch / (2 * static_cast<std::size_t>(num_threads)));
  return std::min(by_bytes, by_share);
}

Result<AssemblyLimits> plan_slots(const pipeline::Plan& plan, const RunOptions& options) {
  const std::size_t slot_bytes = std::max<std::size_t>(1, plan.layout().size_bytes());
  const std::uint64_t ceiling = options.memory_bytes.value_or(available_memory_bytes() / 4);
  AssemblyLimits limits;
  limits.depth = static_cast<std::size_t>(options.prefetch) + 1;
  limits.max_slots = ceiling / slot_bytes;
  // One slot more than are under way: the one that the consumer works with.
  if (limits.max_slots < limits.depth + 1) {
    return resource_exhausted(
        "memory: ", print_size_bytes(ceiling), " is too little for ", limits.depth + 1,
        " batches of ", print_size_bytes(slot_bytes), "; expected at least ",
        print_size_bytes((limits.depth + 1) * slot_bytes), ", or a smaller batch or prefetch");
  }
  return limits;
}

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
  PENSTOCK_TRY_ASSIGN(const AssemblyLimits limits, plan_slots(*plan, options));
  std::unique_ptr<Run> run(new Run(std::move(plan), options, limits));
  run->launch();
  return run;
}

Run::Run(std::shared_ptr<const pipeline::Plan> plan, const RunOptions& options,
         const AssemblyLimits& limits)
    : plan_(std::move(plan)),
      num_threads_(options.threads > 0 ? options.threads : available_cores()),
      schedule_(*plan_, group_size(*plan_, num_threads_), options.first_epoch),
      read_ahead_(static_cast<std::size_t>(num_threads_) + kGroupsAhead),
      assembly_(std::make_shared<Assembly>(plan_->layout(), limits, schedule_.num_batches())) {}

void Run::launch() {
  for (int i = 0; i < num_threads_; ++i) {
    worker_counters_.push_back(std::make_unique<ThreadCounters>());
    threads_.emplace_back([this, counters = worker_counters_.back().get()] { work(*counters); });
  }
  if (!plan_->reads_storage()) return;
  for (int i = 0; i < kNumReaders; ++i) {
    reader_counters_.push_back(std::make_unique<ThreadCounters>());
    threads_.emplace_back([this, counters = reader_counters_.back().get()] {
      read_ahead_.read_all(*plan_, schedule_, *counters);
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
  if (batch && batch->ok() && batch->value() != nullptr) {
    delivered_.fetch_add(1, std::memory_order_relaxed);
  }
  return batch;
}

std::unique_ptr<LoadedGroup> Run::take_group(std::unique_ptr<LoadedGroup> used) {
  if (plan_->reads_storage()) {
    if (used != nullptr) read_ahead_.recycle(std::move(used));
    return read_ahead_.receive();
  }
  std::optional<Group> group = schedule_.next();
  if (!group) return nullptr;
  if (used == nullptr) used = std::make_unique<LoadedGroup>();
  used->group = std::move(*group);
  resolve_samples(*plan_, *used);
  return used;
}

void Run::work(ThreadCounters& counters) {
  FillScratch scratch;
  LapClock clock(counters);
  std::unique_ptr<LoadedGroup> loaded = take_group(nullptr);
  while (loaded != nullptr) {
    if (!fill_group(*loaded, scratch, counters, clock)) return;
    loaded = take_group(std::move(loaded));
  }
}

bool Run::fill_group(LoadedGroup& loaded, FillScratch& scratch, ThreadCounters& counters,
                     LapClock& clock) {
  const Group& group = loaded.group;
  batch::Batch* batch = assembly_->open(group.batch_sequence, group.head);
  clock.lap(Stage::kWait);
  if (batch == nullptr) return false;
  const std::size_t num_fields = plan_->fields().size();
  const std::span<const Piece> pieces(loaded.pieces);
  for (std::size_t i = 0; i < group.count; ++i) {
    const SamplePlace place{
        .sample = loaded.samples[i],
        .epoch = group.head.epoch,
        .pieces = pieces.empty() ? pieces : pieces.subspan(i * num_fields, num_fields),
        .batch = batch,
        .index = group.first + i};
    Status status = fill_sample(*plan_, place, scratch, clock);
    if (!status.ok()) assembly_->fail(group.batch_sequence, place.index, std::move(status));
  }
  clock.lap(Stage::kTransform);
  add(counters.samples, group.count);
  assembly_->finish(group.batch_sequence, group.count);
  return true;
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
  stats.batches = delivered_.load(std::memory_order_relaxed);
  stats.elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  stats.consumer_wait_s = static_cast<double>(assembly_->consumer_wait_ns()) * 1e-9;
  stats.reader_stages = stage_stats(reader_counters_, kReaderStages);
  stats.worker_stages = stage_stats(worker_counters_, kWorkerStages);
  stats.slot_bytes = assembly_->num_slots() * plan_->layout().size_bytes();
  return stats;
}

}  // namespace penstock::deliver
