// Checks and meanings of options that are one number or several.
#include "penstock/transform/size_option.h"

#include <cstddef>

#include "penstock/base/text.h"

namespace penstock::transform {
namespace {

constexpr int kMaxSide = 1 << 15;

Status check_between(std::string_view name, const std::vector<int>& values, int low, int high) {
  for (const int value : values) {
    if (value < low || value > high) {
      return invalid_argument(name, " is ", value, ", expected a value in [", low, ", ", high, "]");
    }
  }
  return {};
}

}  // namespace

Status check_size(const std::vector<int>& size) {
  if (size.empty() || size.size() > 2) {
    return invalid_argument("size has ", size.size(), " numbers, expected 1 or 2 (height,width)");
  }
  return check_between("size", size, 1, kMaxSide);
}

ImageSize size_of(const std::vector<int>& size) { return {size.back(), size.front()}; }

Status check_padding(const std::vector<int>& padding) {
  if (padding.size() != 1 && padding.size() != 2 && padding.size() != 4) {
    return invalid_argument("padding has ", padding.size(),
                            " numbers, expected 1, 2 or 4 (left,top,right,bottom)");
  }
  return check_between("padding", padding, 0, kMaxSide);
}

Padding padding_of(const std::vector<int>& padding) {
  const std::size_t n = padding.size();
  return {padding[0], padding[1 % n], padding[2 % n], padding[3 % n]};
}

Status check_fill(const std::vector<int>& fill) {
  if (fill.size() != 1 && fill.size() != 3) {
    return invalid_argument("fill has ", fill.size(), " numbers, expected 1 or 3 (red,green,blue)");
  }
  return check_between("fill", fill, 0, 255);
}

FillColour fill_of(const std::vector<int>& fill) {
  const auto channel = [&](std::size_t i) {
    return static_cast<std::uint8_t>(fill[i % fill.size()]);
  };
  return {channel(0), channel(1), channel(2)};
}

Status check_probability(double probability) {
  if (probability >= 0 && probability <= 1) return {};
  return invalid_argument("probability is ", probability, ", expected a value in [0, 1]");
}

}  // namespace penstock::transform
