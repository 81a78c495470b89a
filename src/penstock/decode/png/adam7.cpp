// The passes of an image (PNG specification, section 8).
#include "penstock/decode/png/adam7.h"

#include <algorithm>
#include <limits>

namespace penstock::decode {
namespace {

// Sizes stop growing here, so that sums of some of them cannot overflow.
constexpr std::size_t kMostBytes = std::numeric_limits<std::size_t>::max() / 16;

constexpr PngPass kAdam7[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                              {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

// How many of start, start + step, ... are less than `end`.
int num_steps(int start, int step, int end) {
  return end <= start ? 0 : (end - start - 1) / step + 1;
}

}  // namespace

Rect PngPass::part_in(const Rect& region) const {
  const int left = num_steps(x, x_step, region.x);
  const int top = num_steps(y, y_step, region.y);
  return {left, top, num_steps(x, x_step, region.x + region.width) - left,
          num_steps(y, y_step, region.y + region.height) - top};
}

PngPasses::PngPasses(const PngFormat& format) {
  if (!format.is_interlaced) {
    add(format, {});
    return;
  }
  for (const PngPass& pass : kAdam7) add(format, pass);
}

void PngPasses::add(const PngFormat& format, PngPass pass) {
  pass.size = {num_steps(pass.x, pass.x_step, format.size.width),
               num_steps(pass.y, pass.y_step, format.size.height)};
  if (pass.size.width == 0 || pass.size.height == 0) return;
  pass.offset = size_bytes_;
  pass.row_bytes = format.row_bytes(pass.size.width);
  const auto height = static_cast<std::size_t>(pass.size.height);
  const bool is_huge = height > kMostBytes / (pass.row_bytes + 1);
  const std::size_t pass_bytes = is_huge ? kMostBytes : height * (pass.row_bytes + 1);
  size_bytes_ = std::min(size_bytes_ + pass_bytes, kMostBytes);
  passes_[num_passes_++] = pass;
}

}  // namespace penstock::decode
