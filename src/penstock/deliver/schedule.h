// The work of a run, cut into groups of samples and dealt out in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "penstock/deliver/assembly.h"
#include "penstock/order/order.h"
#include "penstock/pipeline/plan.h"

namespace penstock::deliver {

// Consecutive samples of one batch.
struct Group {
  std::uint64_t sequence = 0;        // of the group in the run
  std::uint64_t batch_sequence = 0;  // of its batch in the run
  BatchHead head;                    // of its batch
  std::size_t first = 0;             // place of its first sample in the batch
  std::size_t count = 0;
  // Shared: groups of one epoch may still be under way when the next begins.
  std::shared_ptr<const order::EpochOrder> order;
};

// Safe from any thread.
class Schedule {
 public:
  Schedule(const pipeline::Plan& plan, std::size_t group_size, std::uint32_t first_epoch);

  // nullopt after the last group. A batch without samples on this rank is one group of none.
  std::optional<Group> next();

  // Batches in the whole run; nullopt if it never ends.
  std::optional<std::uint64_t> num_batches() const;

 private:
  const pipeline::Plan& plan_;
  const std::size_t group_size_;
  const std::uint32_t first_epoch_;

  std::mutex mutex_;
  std::uint64_t next_group_ = 0;
  std::uint64_t batch_sequence_ = 0;
  std::size_t next_sample_ = 0;  // in the batch
  std::shared_ptr<const order::EpochOrder> order_;
  std::uint32_t order_epoch_ = 0;
};

}  // namespace penstock::deliver
