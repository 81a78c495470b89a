// Where batches come together: workers fill slots, the consumer takes whole batches in order.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/batch/batch.h"

namespace penstock::deliver {

struct AssemblyLimits {
  std::size_t depth = 3;      // batches begun and not yet handed over
  std::size_t max_depth = 3;  // what set_depth() may raise it to
  std::size_t max_slots = 8;  // slots in all, those that the consumer holds included; above depth
};

// What a batch will hold.
struct BatchHead {
  std::size_t count = 0;
  std::uint32_t epoch = 0;
  std::uint64_t number = 0;
  std::uint64_t end_position = 0;
};

// Batches carry sequence numbers 0, 1, 2, ... over the whole run. Every method is safe from any
// thread. Held by shared_ptr: a batch that the consumer keeps returns its slot here, maybe after
// the run ended.
class Assembly : public std::enable_shared_from_this<Assembly> {
 public:
  using BatchPtr = std::shared_ptr<const batch::Batch>;

  // `num_batches`: sequence numbers end before this one; nullopt if they never do.
  Assembly(const batch::BatchLayout& layout, const AssemblyLimits& limits,
           std::optional<std::uint64_t> num_batches);

  // The slot of a batch, to write samples into. Waits while the consumer is more than `depth`
  // behind. Null once the assembly is stopped. Sequences must be opened without gaps: see Schedule.
  batch::Batch* open(std::uint64_t sequence, const BatchHead& head);

  // `num_samples` more of the batch are written, but for those of `bad` that are not replaced. The
  // last ones take those out, seal the batch and publish it.
  void finish(std::uint64_t sequence, std::size_t num_samples,
              std::vector<batch::BadSample> bad = {});

  // The sample at `index` of the batch fails the batch: it will be handed over as this failure. Of
  // several the lowest index wins, so that the message does not depend on timing. Call before
  // finish().
  void fail(std::uint64_t sequence, std::size_t index, Status status);

  // The next batch in order; null after the last one; nullopt if none was ready in time. After a
  // failure or stop() always the same failure.
  std::optional<Result<BatchPtr>> next(std::chrono::milliseconds timeout);

  // next() answers with this failure from now on.
  void fail_from_now(Status status);

  // Wakes everybody; open() and next() give up from now on.
  void stop();

  // Changes how far workers may be ahead of the consumer; at least 1, at most max_depth.
  void set_depth(std::size_t depth);

  std::size_t depth() const;
  // Batches that wait for the consumer, and slots in all.
  std::size_t num_ready() const;
  std::size_t num_slots() const;

 private:
  struct Entry {
    std::unique_ptr<batch::Batch> batch;
    std::size_t remaining = 0;
    bool is_ready = false;
    std::vector<batch::BadSample> bad;
    std::size_t failed_index = 0;
    Status status;
  };

  Entry& entry(std::uint64_t sequence) { return entries_[sequence % entries_.size()]; }
  // Makes a slot ready for the batch if one may be had; false to wait.
  bool try_open(Entry& entry, std::uint64_t sequence, const BatchHead& head);
  std::unique_ptr<batch::Batch> take_slot();
  Result<BatchPtr> hand_over();
  BatchPtr lease(std::unique_ptr<batch::Batch> batch);
  void give_back(std::unique_ptr<batch::Batch> batch);

  const batch::BatchLayout layout_;
  const AssemblyLimits limits_;
  const std::optional<std::uint64_t> num_batches_;

  mutable std::mutex mutex_;
  std::condition_variable may_open_;
  std::condition_variable may_deliver_;
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<batch::Batch>> free_;
  std::size_t num_slots_ = 0;
  std::size_t num_leased_ = 0;
  std::uint64_t delivered_ = 0;
  std::size_t depth_;
  std::size_t num_ready_ = 0;
  bool is_stopped_ = false;
  Status failure_;
};

}  // namespace penstock::deliver
