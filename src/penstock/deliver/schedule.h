// The work of a run, cut into groups of samples and dealt out in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "penstock/base/result.h"
#include "penstock/deliver/assembly.h"
#include "penstock/order/order.h"
#include "penstock/order/sequence.h"
#include "penstock/pipeline/plan.h"

namespace penstock::deliver {

// A place in the run of all epochs. A position is one of the global order, the same on every rank.
struct Place {
  std::uint32_t epoch = 0;
  std::uint64_t position = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// What the groups of one epoch share; some may still be under way when the next epoch begins.
struct EpochWork {
  order::EpochSequence sequence;
  order::Batches batches;
};

// Consecutive samples of one batch.
struct Group {
  std::uint64_t sequence = 0;        // of the group in the run
  std::uint64_t batch_sequence = 0;  // of its batch in the run
  BatchHead head;                    // of its batch
  std::size_t first = 0;             // place of its first sample in the batch
  std::size_t count = 0;
  std::uint64_t batch = 0;  // in EpochWork::batches
  std::shared_ptr<const EpochWork> work;

  // Of the group's i-th sample, in the epoch.
  std::uint64_t position(std::size_t i) const { return work->batches.position(batch, first + i); }
};

// From `begin` to the end of the loop it lies in: with .epochs(n) loops begin at multiples of n.
// Safe from any thread.
class Schedule {
 public:
  // Fails if `begin` lies behind the end of an epoch.
  static Result<std::unique_ptr<Schedule>> make(const pipeline::Plan& plan, std::size_t group_size,
                                                const Place& begin);

  // nullopt after the last group. A batch without samples on this rank is one group of none.
  std::optional<Group> next();

  // Batches in the whole run; nullopt if it never ends.
  std::optional<std::uint64_t> num_batches() const { return num_batches_; }

 private:
  Schedule(const pipeline::Plan& plan, std::size_t group_size, const Place& begin,
           order::Batches first_batches);

  // Begins epochs until there is one with a batch left.
  void begin_epoch();

  const pipeline::Plan& plan_;
  const std::size_t group_size_;
  std::optional<std::uint64_t> num_batches_;

  std::mutex mutex_;
  std::uint64_t next_group_ = 0;
  std::uint64_t batch_sequence_ = 0;
  std::uint32_t epoch_ = 0;
  std::uint64_t batch_ = 0;         // in the epoch's batches
  std::uint64_t first_number_ = 0;  // of the epoch's first batch that is delivered
  std::size_t next_sample_ = 0;     // in the batch
  std::shared_ptr<const EpochWork> work_;
};

}  // namespace penstock::deliver
