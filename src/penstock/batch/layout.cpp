// Where each field's array begins in a slot.
#include "penstock/batch/layout.h"

#include <utility>

namespace penstock::batch {

void BatchLayout::add_field(std::string name, DType dtype, const Shape& shape) {
  const std::size_t sample_bytes = shape.size() * penstock::size_bytes(dtype);
  append({.name = std::move(name), .dtype = dtype, .shape = shape, .sample_bytes = sample_bytes},
         sample_bytes * capacity_);
}

void BatchLayout::add_ragged_field(std::string name, DType dtype, const Shape& row_shape) {
  append({.name = std::move(name),
          .dtype = dtype,
          .shape = row_shape,
          .sample_bytes = row_shape.size() * penstock::size_bytes(dtype),
          .is_ragged = true},
         (capacity_ + 1) * sizeof(std::int64_t));
}

void BatchLayout::append(FieldLayout field, std::size_t array_bytes) {
  field.offset = size_bytes_;
  fields_.push_back(std::move(field));
  size_bytes_ += (array_bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace penstock::batch
