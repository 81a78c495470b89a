// A batch: the memory of one slot, how it is laid out, and which samples are in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/batch/layout.h"

namespace penstock::batch {

// Aligned, uninitialised memory for one batch. Movable; freed with its owner.
class SlotMemory {
 public:
  SlotMemory() = default;
  explicit SlotMemory(std::size_t size_bytes);

  // Null if there was not enough memory.
  std::byte* data() const { return memory_.get(); }
  // At least as many as were asked for; 0 if there was not enough memory.
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_bytes_ = 0;
};

// Memory that only grows and is kept from batch to batch.
class GrowingMemory {
 public:
  // Exactly `size_bytes`, aligned and with any contents. Fails with kResourceExhausted.
  Result<MutableBytes> prepare(std::size_t size_bytes);

  // What was prepared last.
  MutableBytes bytes() const { return {memory_.data(), size_bytes_}; }
  std::size_t memory_bytes() const { return memory_.size_bytes(); }

 private:
  SlotMemory memory_;
  std::size_t size_bytes_ = 0;
};

// A sample that could not be delivered.
struct BadSample {
  std::size_t index = 0;  // its place in the batch before any was taken out
  std::uint64_t sample = 0;
  std::string_view stage;  // where it failed: "read", "decode"
  Status status;
  bool is_replaced = false;  // another one is in its place; else it was taken out
};

struct Batch {
  explicit Batch(const BatchLayout& batch_layout);

  BatchLayout layout;
  SlotMemory memory;
  std::size_t count = 0;  // samples in it, at most layout.capacity()
  std::uint32_t epoch = 0;
  std::uint64_t number = 0;            // of the batch in its epoch
  std::uint64_t end_position = 0;      // the position of the global order to go on from
  std::vector<std::uint64_t> samples;  // sample numbers; the first `count` are valid
  std::vector<BadSample> bad;          // in the order of their places

  // The bytes of one sample's field, not ragged. Different samples may be written from different
  // threads.
  MutableBytes sample(std::size_t field, std::size_t index) {
    const FieldLayout& where = layout.fields()[field];
    return {memory.data() + where.offset + index * where.sample_bytes, where.sample_bytes};
  }
  // Room for `num_rows` rows of one sample's ragged field, which replace those it had. Every sample
  // of the batch must be given its rows, if only 0, before seal(). Different samples may be written
  // from different threads.
  Result<MutableBytes> rows(std::size_t field, std::size_t index, std::size_t num_rows);

  // Takes samples out, given by their places in rising order: the last of the others move into the
  // gaps, and so the fewest are copied. Before seal().
  void drop(std::span<const std::size_t> places);

  // Puts the rows of every ragged field one after the other. Once, when all samples are written.
  Status seal();

  // The field's whole array: `count` samples; of a ragged field all rows, after seal().
  Bytes array(std::size_t field) const;
  // Of a ragged field, after seal(): rows [offsets[i], offsets[i + 1]) are those of sample i;
  // `count`
  // + 1 of them.
  std::span<const std::int64_t> offsets(std::size_t field) const;

  // Everything the batch holds. Not while samples are written.
  std::uint64_t memory_bytes() const;

 private:
  // The rows of one ragged field.
  struct Rows {
    std::vector<GrowingMemory> samples;  // as each sample wrote them
    GrowingMemory values;                // one after the other
  };

  void move_sample(std::size_t from, std::size_t to);

  std::vector<Rows> ragged_;  // one a field of the layout; empty for those that are not ragged
};

}  // namespace penstock::batch
