// Options that are one number or several: `size=224` or `size=224,192`.
#pragma once

#include <string_view>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/status.h"
#include "penstock/transform/geometry.h"

namespace penstock::transform {

// One number for both sides, or height and width.
Status check_size(const std::vector<int>& size);
ImageSize size_of(const std::vector<int>& size);

// One number for every side; left and right, top and bottom; or left, top, right, bottom.
Status check_padding(const std::vector<int>& padding);
Padding padding_of(const std::vector<int>& padding);

// One number in 0..255 for every channel, or red, green and blue.
Status check_fill(const std::vector<int>& fill);
FillColour fill_of(const std::vector<int>& fill);

// A chance in [0, 1].
Status check_probability(double probability);

}  // namespace penstock::transform
