// Which sample comes when: pure arithmetic, no stored permutation. Specified in docs/order.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "penstock/base/result.h"

namespace penstock::order {

enum class Shuffle : std::uint8_t { kNone, kWindow, kGlobal };
constexpr std::array<std::string_view, 3> enum_names(Shuffle) {
  return {"none", "window", "global"};
}

struct OrderOptions {
  Shuffle shuffle = Shuffle::kNone;
  std::uint64_t window = 0;  // records, over all lanes; kWindow only
  std::uint32_t lanes = 64;  // kWindow only
  std::uint64_t seed = 0;
};

// One epoch's order: a bijection of [0, size()). Every method is safe from any thread and allocates
// nothing. Copying costs O(shards).
class EpochOrder {
 public:
  std::uint64_t size() const { return num_samples_; }

  // Needs position < size(). O(log shards).
  std::uint64_t sample_at(std::uint64_t position) const;

  // Where to look for another sample if that of `position` is bad: for attempt = 1, 2, ... every
  // other position of the same window once, then any. Needs position < size().
  std::uint64_t substitute(std::uint64_t position, std::uint64_t attempt) const;

 private:
  friend class Order;
  EpochOrder() = default;

  // The window of a position: records [begin, end) of a lane.
  struct Window {
    std::uint64_t lane;
    std::uint64_t record;  // of the position, in the lane
    std::uint64_t number;  // in the lane
    std::uint64_t begin;
    std::uint64_t end;
  };
  Window window_of(std::uint64_t position) const;
  // Where record `place` of the sequence along the permuted shards is stored.
  std::uint64_t stored_at(std::uint64_t place) const;
  std::uint64_t windowed(std::uint64_t position) const;

  Shuffle shuffle_ = Shuffle::kNone;
  std::uint64_t num_samples_ = 0;
  std::uint64_t lanes_ = 1;
  std::uint64_t lane_window_ = 1;  // records of one lane
  std::uint64_t offset_key_ = 0;
  std::uint64_t window_key_ = 0;
  // Of the k-th shard of this epoch: the place of its first record, and what to add to a place to
  // have the sample's number (modulo 2^64). kWindow only.
  std::vector<std::uint64_t> shard_places_;
  std::vector<std::uint64_t> shard_shifts_;
};

// The orders of all epochs of one dataset.
class Order {
 public:
  std::uint64_t size() const { return num_samples_; }
  // What is done, which may not be what was asked: a window that holds everything is kGlobal.
  Shuffle shuffle() const { return options_.shuffle; }

  // O(shards).
  EpochOrder epoch(std::uint32_t epoch) const;

 private:
  friend Result<Order> make_order(std::vector<std::uint64_t> shard_sizes,
                                  const OrderOptions& options);
  Order() = default;

  OrderOptions options_;
  std::uint64_t num_samples_ = 0;
  std::vector<std::uint64_t> shard_sizes_;  // kWindow only
};

// The samples are numbered through the shards as they are given; a shard may be empty, and so may
// all of them. Fails if the options make no sense or the shards hold 2^62 samples or more.
Result<Order> make_order(std::vector<std::uint64_t> shard_sizes, const OrderOptions& options);

// What becomes of the samples at the end of an epoch that do not fill a global batch.
enum class LastBatch : std::uint8_t {
  kDrop,  // left out
  kKeep,  // a shorter batch; a rank for which nothing is left gets one of size 0
  kWrap,  // filled up with the first positions of the same epoch, which come twice
};
constexpr std::array<std::string_view, 3> enum_names(LastBatch) { return {"drop", "keep", "wrap"}; }

// How positions are dealt to ranks: global batch b is positions [bG, (b+1)G), counted from
// first_position, G = batch_size * world; a rank takes those with position % world == rank.
struct BatchOptions {
  std::uint64_t batch_size = 1;  // of one rank
  std::uint32_t rank = 0;
  std::uint32_t world = 1;
  LastBatch last = LastBatch::kDrop;
  std::uint64_t first_position = 0;  // where a resumed epoch goes on
};

// One rank's batches of one epoch.
class Batches {
 public:
  // The same on every rank.
  std::uint64_t num_batches() const { return num_batches_; }

  // How many samples this rank has in a batch. Needs batch < num_batches(), as the two below do.
  std::uint64_t size_of(std::uint64_t batch) const;

  // The position of this rank's i-th sample in a batch. Needs i < size_of(batch).
  std::uint64_t position(std::uint64_t batch, std::uint64_t i) const;

  // The global position to go on from after a batch, the same on every rank: what a checkpoint
  // keeps. After the last batch it is the end of the epoch, whatever is left out or repeated.
  std::uint64_t end_position(std::uint64_t batch) const;

 private:
  friend Result<Batches> make_batches(std::uint64_t num_samples, const BatchOptions& options);
  Batches() = default;

  // Where this rank's first sample in a batch lies, before the end of the epoch is regarded.
  std::uint64_t first_of(std::uint64_t batch) const;

  BatchOptions options_;
  std::uint64_t num_samples_ = 0;
  std::uint64_t global_size_ = 1;
  std::uint64_t num_batches_ = 0;
};

Result<Batches> make_batches(std::uint64_t num_samples, const BatchOptions& options);

}  // namespace penstock::order
