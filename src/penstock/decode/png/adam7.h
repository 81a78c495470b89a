// Where the rows of an image lie in its inflated data: one pass, or the seven of Adam7.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "penstock/base/array.h"
#include "penstock/decode/png/chunks.h"

namespace penstock::decode {

// Every x_step-th column from x on, of every y_step-th row from y on: an image of its own, whose
// rows follow each other, each after a byte that names its filter.
struct PngPass {
  int x = 0;
  int y = 0;
  int x_step = 1;
  int y_step = 1;
  ImageSize size;             // of the pass
  std::size_t offset = 0;     // of its first row's filter, in the inflated data
  std::size_t row_bytes = 0;  // without the filter

  // The pixels of the pass that lie in `region` of the image. May be empty.
  Rect part_in(const Rect& region) const;
};

// The passes that have pixels, in the order of the file.
class PngPasses {
 public:
  explicit PngPasses(const PngFormat& format);

  std::span<const PngPass> passes() const& { return std::span(passes_).first(num_passes_); }
  void passes() const&& = delete;  // would outlive what it points into

  // Of all rows with their filters. Offsets hold only if this is at most kMaxImageBytes; of what is
  // far larger it is no more than a bound from below.
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  void add(const PngFormat& format, PngPass pass);

  std::array<PngPass, 7> passes_{};
  std::size_t num_passes_ = 0;
  std::size_t size_bytes_ = 0;
};

}  // namespace penstock::decode
