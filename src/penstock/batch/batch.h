// A batch: the memory of one slot, how it is laid out, and which samples are in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/batch/layout.h"

namespace penstock::batch {

// Aligned, uninitialised memory for one batch. Movable; freed with its owner.
class SlotMemory {
 public:
  explicit SlotMemory(std::size_t size_bytes);

  // Null if there was not enough memory.
  std::byte* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
};

struct Batch {
  explicit Batch(const BatchLayout& batch_layout)
      : layout(batch_layout), memory(batch_layout.size_bytes()), samples(batch_layout.capacity()) {}

  BatchLayout layout;
  SlotMemory memory;
  std::size_t count = 0;  // samples in it, at most layout.capacity()
  std::uint32_t epoch = 0;
  std::uint64_t number = 0;            // of the batch in its epoch
  std::vector<std::uint64_t> samples;  // sample numbers; the first `count` are valid

  // The bytes of one sample's field. Different samples may be written from different threads.
  MutableBytes sample(std::size_t field, std::size_t index) {
    const FieldLayout& where = layout.fields()[field];
    return {memory.data() + where.offset + index * where.sample_bytes, where.sample_bytes};
  }
  // The field's whole array: `count` samples.
  Bytes array(std::size_t field) const {
    const FieldLayout& where = layout.fields()[field];
    return {memory.data() + where.offset, count * where.sample_bytes};
  }
};

}  // namespace penstock::batch
