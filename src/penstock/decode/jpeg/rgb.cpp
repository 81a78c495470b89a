// Puts luma and chroma together, row by row.
#include "penstock/decode/jpeg/rgb.h"

#include <algorithm>

#include "penstock/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "penstock/decode/jpeg/rgb.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "penstock/decode/jpeg/rgb_inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::decode::HWY_NAMESPACE {

// One row of chroma as dense as luma.
class ChromaRow {
 public:
  // `words` and `bytes` have room for the region's width and what vectors write beyond it.
  ChromaRow(const YccImage& image, const Rect& region, std::int16_t* words, std::uint8_t* bytes)
      : columns_(image.columns),
        rows_(image.rows),
        x_(region.x),
        width_(region.width),
        words_(words + kWordLanes),
        bytes_(bytes) {}

  // Of the image's row `y`, from the region's first column on.
  const std::uint8_t* make(const SamplePlane& plane, int y) const {
    const int near = y / rows_;
    // libjpeg interpolates where there are enough samples, and only by two.
    if (rows_ == 1 && columns_ == 1) return plane.at(x_, near);
    if (columns_ == 1) return blend(plane, y);
    if (columns_ == 2 && plane.full_size.width > 2) return interpolate(plane, y);
    const std::uint8_t* in = plane.at(0, near);
    for (int i = 0; i < width_; ++i) bytes_[i] = in[(x_ + i) / columns_];
    return bytes_;
  }

 private:
  // The row that lies on the other side of `y`.
  static int far_row(const SamplePlane& plane, int y) {
    const int far = y % 2 == 0 ? y / 2 - 1 : y / 2 + 1;
    return std::clamp(far, 0, plane.full_size.height - 1);
  }

  const std::uint8_t* blend(const SamplePlane& plane, int y) const {
    const auto size = static_cast<std::size_t>(width_);
    blend_rows(plane.at(x_, y / 2), plane.at(x_, far_row(plane, y)), size, words_);
    narrow_row<2>(words_, y % 2 == 0 ? 1 : 2, size, bytes_);
    return bytes_;
  }

  const std::uint8_t* interpolate(const SamplePlane& plane, int y) const {
    const int first = x_ / 2, last = (x_ + width_ - 1) / 2;
    const int low = std::max(first - 1, 0), high = std::min(last + 1, plane.full_size.width - 1);
    const int num_read = high - low + 1, num_near = last - first + 1;
    const auto num = static_cast<std::size_t>(num_read);
    std::int16_t* begin = words_ + (low - first);
    if (rows_ == 1) {
      promote_row(plane.at(low, y), num, begin);
    } else {
      blend_rows(plane.at(low, y / 2), plane.at(low, far_row(plane, y)), num, begin);
    }
    if (low == first) words_[-1] = words_[0];
    if (high == last) words_[last - first + 1] = words_[last - first];
    const auto size = static_cast<std::size_t>(num_near);
    if (rows_ == 1) {
      widen_row<2>(words_, 1, 2, size, bytes_);
    } else {
      widen_row<4>(words_, 8, 7, size, bytes_);
    }
    return bytes_ + x_ % 2;
  }

  int columns_, rows_, x_, width_;
  std::int16_t* words_;
  std::uint8_t* bytes_;
};

void convert_image(const YccImage& image, const Rect& region, PixelBuffer& lines,
                   const MutableImage& out) {
  // Of words, and of bytes for each kind of chroma.
  const auto size = static_cast<std::size_t>(region.width) + 4 * kWordLanes;
  const MutableImage memory = lines.prepare({static_cast<int>(size * sizeof(std::int16_t)), 3}, 1);
  auto* words = reinterpret_cast<std::int16_t*>(memory.row(0));
  const ChromaRow blue(image, region, words, memory.row(1));
  const ChromaRow red(image, region, words, memory.row(2));
  for (int y = 0; y < region.height; ++y) {
    const int row = region.y + y;
    convert_row(image.planes[0].at(region.x, row), blue.make(image.planes[1], row),
                red.make(image.planes[2], row), static_cast<std::size_t>(region.width), out.row(y));
  }
}

}  // namespace penstock::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::decode {
HWY_EXPORT(convert_image);

void convert_to_rgb(const YccImage& image, const Rect& region, PixelBuffer& lines,
                    const MutableImage& out) {
  HWY_DYNAMIC_DISPATCH(convert_image)(image, region, lines, out);
}

}  // namespace penstock::decode
#endif
