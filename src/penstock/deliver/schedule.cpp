// Epochs, batches and groups, one after the other.
#include "penstock/deliver/schedule.h"

#include <algorithm>

namespace penstock::deliver {

Schedule::Schedule(const pipeline::Plan& plan, std::size_t group_size, std::uint32_t first_epoch)
    : plan_(plan), group_size_(group_size), first_epoch_(first_epoch) {}

std::optional<std::uint64_t> Schedule::num_batches() const {
  if (!plan_.spec().epochs) return std::nullopt;
  return *plan_.spec().epochs * plan_.batches().num_batches();
}

std::optional<Group> Schedule::next() {
  const std::scoped_lock lock(mutex_);
  const std::optional<std::uint64_t> end = num_batches();
  if (end && batch_sequence_ == *end) return std::nullopt;

  const std::uint64_t batches_per_epoch = plan_.batches().num_batches();
  const auto epoch = first_epoch_ + static_cast<std::uint32_t>(batch_sequence_ / batches_per_epoch);
  if (order_ == nullptr || order_epoch_ != epoch) {
    order_ = std::make_shared<const order::EpochOrder>(plan_.order().epoch(epoch));
    order_epoch_ = epoch;
  }

  Group group;
  group.sequence = next_group_++;
  group.batch_sequence = batch_sequence_;
  group.head.epoch = epoch;
  group.head.number = batch_sequence_ % batches_per_epoch;
  group.head.count = plan_.batches().size_of(group.head.number);
  group.first = next_sample_;
  group.count = std::min(group_size_, group.head.count - next_sample_);
  group.order = order_;

  next_sample_ += group.count;
  if (next_sample_ == group.head.count) {
    next_sample_ = 0;
    ++batch_sequence_;
  }
  return group;
}

}  // namespace penstock::deliver
