// Slots, their order and their leases.
#include "penstock/deliver/assembly.h"

#include <algorithm>
#include <utility>

namespace penstock::deliver {
namespace {

// Takes the bad samples out that were not replaced.
void drop_bad(batch::Batch& batch) {
  std::ranges::sort(batch.bad, {}, &batch::BadSample::index);
  std::vector<std::size_t> places;
  for (const batch::BadSample& bad : batch.bad) {
    if (!bad.is_replaced) places.push_back(bad.index);
  }
  batch.drop(places);
}

}  // namespace

Assembly::Assembly(const batch::BatchLayout& layout, const AssemblyLimits& limits,
                   std::optional<std::uint64_t> num_batches)
    : layout_(layout),
      limits_(limits),
      num_batches_(num_batches),
      entries_(limits.max_depth),
      depth_(limits.depth) {}

std::unique_ptr<batch::Batch> Assembly::take_slot() {
  if (!free_.empty()) {
    std::unique_ptr<batch::Batch> batch = std::move(free_.back());
    free_.pop_back();
    return batch;
  }
  if (num_slots_ == limits_.max_slots) return nullptr;
  auto batch = std::make_unique<batch::Batch>(layout_);
  if (batch->memory.data() == nullptr) {
    failure_ = resource_exhausted("no memory for a batch of ", layout_.size_bytes(), " bytes");
    may_deliver_.notify_all();
    return nullptr;
  }
  ++num_slots_;
  return batch;
}

bool Assembly::try_open(Entry& entry, std::uint64_t sequence, const BatchHead& head) {
  if (sequence >= delivered_ + depth_) return false;
  if (entry.batch != nullptr) return true;
  entry.batch = take_slot();
  if (entry.batch == nullptr) return false;
  entry.batch->count = head.count;
  entry.batch->epoch = head.epoch;
  entry.batch->number = head.number;
  entry.batch->end_position = head.end_position;
  entry.remaining = head.count;
  return true;
}

batch::Batch* Assembly::open(std::uint64_t sequence, const BatchHead& head) {
  std::unique_lock lock(mutex_);
  Entry& slot = entry(sequence);
  may_open_.wait(lock, [&] { return is_stopped_ || try_open(slot, sequence, head); });
  return is_stopped_ ? nullptr : slot.batch.get();
}

void Assembly::finish(std::uint64_t sequence, std::size_t num_samples,
                      std::vector<batch::BadSample> bad) {
  batch::Batch* batch = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    Entry& slot = entry(sequence);
    slot.bad.insert(slot.bad.end(), bad.begin(), bad.end());
    slot.remaining -= num_samples;
    if (slot.remaining > 0) return;
    batch = slot.batch.get();
    batch->bad = std::move(slot.bad);
  }
  // Without the lock: nobody else touches a batch that is written and not yet ready.
  drop_bad(*batch);
  const Status sealed = batch->seal();
  {
    const std::scoped_lock lock(mutex_);
    Entry& slot = entry(sequence);
    if (slot.status.ok()) slot.status = sealed;
    slot.is_ready = true;
    ++num_ready_;
    if (sequence != delivered_) return;
  }
  may_deliver_.notify_one();
}

void Assembly::fail(std::uint64_t sequence, std::size_t index, Status status) {
  const std::scoped_lock lock(mutex_);
  Entry& slot = entry(sequence);
  if (!slot.status.ok() && slot.failed_index <= index) return;
  slot.status = std::move(status);
  slot.failed_index = index;
}

std::optional<Result<Assembly::BatchPtr>> Assembly::next(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  const bool is_over = num_batches_ && delivered_ == *num_batches_;
  if (is_over && failure_.ok()) return Result<BatchPtr>(BatchPtr());
  const auto is_due = [&] { return is_stopped_ || !failure_.ok() || entry(delivered_).is_ready; };
  if (!is_due()) {
    // Nobody but the consumer can free a slot then: waiting would be for ever.
    const Entry& head = entry(delivered_);
    if (head.batch == nullptr && free_.empty() && num_leased_ >= limits_.max_slots) {
      return Result<BatchPtr>(resource_exhausted(
          num_leased_, " batches of ", layout_.size_bytes(),
          " bytes are still held by the consumer, and the memory ceiling has no room for another; "
          "drop batches after use, copy what is kept, or raise memory="));
    }
    if (!may_deliver_.wait_for(lock, timeout, is_due)) return std::nullopt;
  }
  if (!failure_.ok()) return Result<BatchPtr>(failure_);
  if (is_stopped_) return Result<BatchPtr>(cancelled("the run was stopped"));
  Result<BatchPtr> batch = hand_over();
  lock.unlock();
  may_open_.notify_all();
  return batch;
}

Result<Assembly::BatchPtr> Assembly::hand_over() {
  Entry ready = std::exchange(entry(delivered_), Entry{});
  ++delivered_;
  --num_ready_;
  if (ready.status.ok()) return lease(std::move(ready.batch));
  failure_ = ready.status;
  free_.push_back(std::move(ready.batch));
  return failure_;
}

Assembly::BatchPtr Assembly::lease(std::unique_ptr<batch::Batch> batch) {
  ++num_leased_;
  return {batch.release(), [self = shared_from_this()](const batch::Batch* kept) {
            // The consumer had it as const; here it becomes a slot again.
            self->give_back(std::unique_ptr<batch::Batch>(const_cast<batch::Batch*>(kept)));
          }};
}

void Assembly::give_back(std::unique_ptr<batch::Batch> batch) {
  {
    const std::scoped_lock lock(mutex_);
    --num_leased_;
    // A consumer that once held many batches does not keep their memory for ever.
    if (is_stopped_ || num_slots_ > depth_ + 2) {
      --num_slots_;
    } else {
      free_.push_back(std::move(batch));
    }
  }
  may_open_.notify_all();
}

void Assembly::fail_from_now(Status status) {
  const std::scoped_lock lock(mutex_);
  failure_ = std::move(status);
}

void Assembly::stop() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
    free_.clear();
  }
  may_open_.notify_all();
  may_deliver_.notify_all();
}

void Assembly::set_depth(std::size_t depth) {
  {
    const std::scoped_lock lock(mutex_);
    depth_ = std::clamp<std::size_t>(depth, 1, limits_.max_depth);
    for (; !free_.empty() && num_slots_ > depth_ + 2; --num_slots_) free_.pop_back();
  }
  may_open_.notify_all();
}

std::size_t Assembly::depth() const {
  const std::scoped_lock lock(mutex_);
  return depth_;
}

std::size_t Assembly::num_ready() const {
  const std::scoped_lock lock(mutex_);
  return num_ready_;
}

std::size_t Assembly::num_slots() const {
  const std::scoped_lock lock(mutex_);
  return num_slots_;
}

}  // namespace penstock::deliver
