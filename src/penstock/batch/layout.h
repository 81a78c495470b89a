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
  Shape shape;             // of one sample
  std::size_t offset = 0;  // of the field's array in the slot, a multiple of kAlignment
  std::size_t sample_bytes = 0;
};

class BatchLayout {
 public:
  // Large enough for every vector instruction set, and for device copies.
  static constexpr std::size_t kAlignment = 64;

  explicit BatchLayout(std::size_t capacity) : capacity_(capacity) {}

  // Appends a field's array behind those there are.
  void add_field(std::string name, DType dtype, const Shape& shape);

  // The most samples a batch holds.
  std::size_t capacity() const { return capacity_; }
  std::size_t size_bytes() const { return size_bytes_; }
  const std::vector<FieldLayout>& fields() const { return fields_; }

 private:
  std::size_t capacity_;
  std::size_t size_bytes_ = 0;
  std::vector<FieldLayout> fields_;
};

}  // namespace penstock::batch
