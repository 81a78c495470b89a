// How a batch lies in memory: one contiguous array a field, samples one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "penstock/base/array.h"

namespace penstock::batch {

struct FieldLayout {
  std::string name;
  DType dtype = DType::kU8;
  Shape shape;                   // of one sample; of a ragged field, of one row
  std::size_t offset = 0;        // of the field's array in the slot, a multiple of kAlignment; of a
                                 // ragged field, of its offsets
  std::size_t sample_bytes = 0;  // of a ragged field, of one row
  bool is_ragged = false;        // samples have different numbers of rows
};

class BatchLayout {
 public:
  // Large enough for every vector instruction set, and for device copies.
  static constexpr std::size_t kAlignment = 64;

  explicit BatchLayout(std::size_t capacity) : capacity_(capacity) {}

  // Appends a field's array behind those there are.
  void add_field(std::string name, DType dtype, const Shape& shape);
  // Appends a field of which each sample has as many rows of `row_shape` as it likes. The slot
  // holds only where the rows of each sample begin; the batch holds the rows beside it.
  void add_ragged_field(std::string name, DType dtype, const Shape& row_shape);

  // The most samples a batch holds.
  std::size_t capacity() const { return capacity_; }
  // Of the slot; rows of ragged fields are not in it.
  std::size_t size_bytes() const { return size_bytes_; }
  const std::vector<FieldLayout>& fields() const { return fields_; }

 private:
  void append(FieldLayout field, std::size_t array_bytes);

  std::size_t capacity_;
  std::size_t size_bytes_ = 0;
  std::vector<FieldLayout> fields_;
};

}  // namespace penstock::batch
