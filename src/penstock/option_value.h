// How the options of an op are written in a Spec, for the structs of ops.h.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "penstock/base/fields.h"

namespace penstock {

// One number or several: `224`, or `{224, 192}`.
template <class T>
class Numbers {
 public:
  Numbers(T value) : values_{value} {}
  Numbers(std::initializer_list<T> values) : values_(values) {}

  const std::vector<T>& values() const { return values_; }

 private:
  std::vector<T> values_;
};

template <class T>
std::string option_value(const T& value) {
  return field_detail::print_value(value);
}

template <class T>
std::string option_value(const Numbers<T>& numbers) {
  return field_detail::print_value(numbers.values());
}

}  // namespace penstock
