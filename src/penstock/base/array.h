// Views of arrays: type, shape and a borrowed pointer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace penstock {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

enum class DType : std::uint8_t { kU8, kI32, kI64, kF16, kBF16, kF32, kF64 };

std::size_t size_bytes(DType type);
// "u8", "i64", "f16", "bf16", "f32", ...
std::string_view dtype_name(DType type);
std::optional<DType> dtype_from_name(std::string_view name);

// Up to four dimensions, outermost first.
class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> sides);
  explicit Shape(std::span<const std::int64_t> sides);

  int rank() const { return rank_; }
  std::int64_t operator[](int axis) const { return sides_[static_cast<std::size_t>(axis)]; }
  std::span<const std::int64_t> sides() const {
    return std::span(sides_).first(static_cast<std::size_t>(rank_));
  }
  // The number of elements; 1 for rank 0.
  std::size_t size() const;
  // "3x224x224", "scalar".
  std::string text() const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<std::int64_t, kMaxRank> sides_{};
  int rank_ = 0;
};

struct ImageSize {
  int width = 0;
  int height = 0;
  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

// Whole pixels: columns [x, x + width), rows [y, y + height).
struct Rect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  friend bool operator==(const Rect&, const Rect&) = default;
};

// Interleaved 8-bit pixels (1 = gray, 3 = RGB), rows `stride` bytes apart.
struct ImageView {
  const std::uint8_t* data = nullptr;
  int width = 0;
  int height = 0;
  int channels = 0;
  std::size_t stride = 0;

  const std::uint8_t* row(int y) const { return data + static_cast<std::size_t>(y) * stride; }
};

// What a decoder is asked for: these pixels of the upright image, and how much coarser they may
// come.
struct ImageRequest {
  Rect region;
  int min_eighths = 8;  // 1 to 8: of 8 pixels of the image at least so many, each way
};

// What a decoder answers: the upright image with `eighths` pixels for 8 of its own, each way, and
// of that the part which begins at `origin`. Each pixel stands for a square of shrink() x shrink()
// pixels, cut off at the edges of the image (at the right and lower ones; at the left and upper
// ones of an image that was turned, whose origin may then be a fraction, and negative). It covers
// the region asked for, and may cover more.
struct ImagePart {
  ImageView pixels;
  ImageSize full_size;
  double origin_x = 0;  // counted in pixels of the answer; a multiple of 1/8
  double origin_y = 0;
  int eighths = 8;

  double shrink() const { return 8.0 / eighths; }
};

}  // namespace penstock
