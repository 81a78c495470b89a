// Epochs, batches and groups, one after the other.
#include "penstock/deliver/schedule.h"

#include <algorithm>
#include <utility>

namespace penstock::deliver {

Result<std::unique_ptr<Schedule>> Schedule::make(const pipeline::Plan& plan, std::size_t group_size,
                                                 const Place& begin) {
  PENSTOCK_TRY_ASSIGN(order::Batches first_batches, plan.batches_from(begin.position));
  return std::unique_ptr<Schedule>(new Schedule(plan, group_size, begin, first_batches));
}

Schedule::Schedule(const pipeline::Plan& plan, std::size_t group_size, const Place& begin,
                   order::Batches first_batches)
    : plan_(plan),
      group_size_(group_size),
      epoch_(begin.epoch),
      first_number_(begin.position / (plan.spec().batch.size * plan.spec().shard->world)),
      work_(std::make_shared<const EpochWork>(plan.sequence().epoch(begin.epoch), first_batches)) {
  if (!plan.spec().epochs) return;
  const std::uint64_t in_loop = *plan.spec().epochs;
  const std::uint64_t num_more = in_loop - 1 - begin.epoch % in_loop;
  num_batches_ = first_batches.num_batches() + num_more * plan.batches().num_batches();
}

void Schedule::begin_epoch() {
  while (batch_ == work_->batches.num_batches()) {
    ++epoch_;
    batch_ = 0;
    first_number_ = 0;
    work_ = std::make_shared<const EpochWork>(plan_.sequence().epoch(epoch_), plan_.batches());
  }
}

std::optional<Group> Schedule::next() {
  const std::scoped_lock lock(mutex_);
  if (num_batches_ && batch_sequence_ == *num_batches_) return std::nullopt;
  begin_epoch();

  Group group;
  group.sequence = next_group_++;
  group.batch_sequence = batch_sequence_;
  group.batch = batch_;
  group.work = work_;
  group.head = {.count = work_->batches.size_of(batch_),
                .epoch = epoch_,
                .number = first_number_ + batch_,
                .end_position = work_->batches.end_position(batch_)};
  group.first = next_sample_;
  group.count = std::min(group_size_, group.head.count - next_sample_);

  next_sample_ += group.count;
  if (next_sample_ == group.head.count) {
    next_sample_ = 0;
    ++batch_;
    ++batch_sequence_;
  }
  return group;
}

}  // namespace penstock::deliver
