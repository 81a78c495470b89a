// Decodes the runs of a BMP file of 4 or 8 bits a pixel (Microsoft, "Bitmap Compression").
#include "penstock/decode/bmp/rle.h"

#include <algorithm>
#include <cstring>

namespace penstock::decode {
namespace {

constexpr unsigned kEndOfLine = 0;
constexpr unsigned kEndOfImage = 1;
constexpr unsigned kDelta = 2;

class Runs {
 public:
  Runs(const BmpLayout& layout, const Rect& region, const MutableImage& indices)
      : layout_(layout), region_(region), indices_(indices) {}

  Status decode() {
    while (!is_complete()) {
      PENSTOCK_TRY_ASSIGN(const unsigned count, next());
      PENSTOCK_TRY_ASSIGN(const unsigned value, next());
      if (count > 0) {
        put_run(count, value);
      } else if (value == kEndOfLine) {
        x_ = 0;
        ++y_;
      } else if (value == kEndOfImage) {
        return ends_early();
      } else if (value == kDelta) {
        PENSTOCK_TRY(skip());
      } else {
        PENSTOCK_TRY(put_literals(value));
      }
    }
    return {};
  }

 private:
  bool is_complete() const {
    return y_ >= layout_.size.height || (y_ == layout_.size.height - 1 && x_ == layout_.size.width);
  }

  Status ends_early() const {
    return corrupt("pixels end after ", position_, " bytes, at stored row ", y_, " of ",
                   layout_.size.height);
  }

  Result<unsigned> next() {
    if (position_ == layout_.pixels.size()) return ends_early();
    return std::to_integer<unsigned>(layout_.pixels[position_++]);
  }

  // Of the two indices in a byte of a 4-bit image.
  unsigned index_in(unsigned byte, unsigned i) const {
    if (layout_.bits == 8) return byte;
    return i % 2 == 0 ? byte >> 4 : byte & 15;
  }

  void put(unsigned index) {
    const int y = (layout_.is_top_down ? y_ : layout_.size.height - 1 - y_) - region_.y;
    const int x = x_++ - region_.x;
    if (x < 0 || x >= region_.width || y < 0 || y >= region_.height) return;
    indices_.row(y)[x] = static_cast<std::uint8_t>(index);
  }

  // Writers may let a run go beyond the row; the rest of it means nothing.
  void put_run(unsigned count, unsigned byte) {
    count = std::min(count, static_cast<unsigned>(layout_.size.width - x_));
    for (unsigned i = 0; i < count; ++i) put(index_in(byte, i));
  }

  Status put_literals(unsigned count) {
    if (count > static_cast<unsigned>(layout_.size.width - x_)) {
      return corrupt("row of more than ", layout_.size.width, " pixels at stored row ", y_);
    }
    unsigned byte = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (layout_.bits == 8 || i % 2 == 0) {
        PENSTOCK_TRY_ASSIGN(byte, next());
      }
      put(index_in(byte, i));
    }
    const unsigned num_bytes = layout_.bits == 8 ? count : (count + 1) / 2;
    // An even number of bytes; the last one may be missing behind the last pixel.
    if (num_bytes % 2 != 0 && !is_complete()) {
      PENSTOCK_TRY(next());
    }
    return {};
  }

  Status skip() {
    PENSTOCK_TRY_ASSIGN(const unsigned right, next());
    PENSTOCK_TRY_ASSIGN(const unsigned up, next());
    if (right > static_cast<unsigned>(layout_.size.width - x_) ||
        up > static_cast<unsigned>(layout_.size.height - y_)) {
      return corrupt("skip of ", right, " columns and ", up, " rows from ", x_, " at stored row ",
                     y_, ", expected to stay in the image of ", layout_.size.width, "x",
                     layout_.size.height);
    }
    x_ += static_cast<int>(right);
    y_ += static_cast<int>(up);
    return {};
  }

  const BmpLayout& layout_;
  const Rect region_;
  const MutableImage indices_;
  std::size_t position_ = 0;
  int x_ = 0;
  int y_ = 0;  // of rows as they are stored
};

}  // namespace

Status decode_bmp_rle(const BmpLayout& layout, const Rect& region, const MutableImage& indices) {
  for (int y = 0; y < region.height; ++y) {
    std::memset(indices.row(y), 0, static_cast<std::size_t>(region.width));
  }
  return Runs(layout, region, indices).decode();
}

}  // namespace penstock::decode
