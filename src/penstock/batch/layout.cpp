// Where each field's array begins in a slot.
#include "penstock/batch/layout.h"

#include <utility>

namespace penstock::batch {

void BatchLayout::add_field(std::string name, DType dtype, const Shape& shape) {
  const std::size_t sample_bytes = shape.size() * penstock::size_bytes(dtype);
  const std::size_t array_bytes = sample_bytes * capacity_;
  fields_.push_back({std::move(name), dtype, shape, size_bytes_, sample_bytes});
  size_bytes_ += (array_bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace penstock::batch
