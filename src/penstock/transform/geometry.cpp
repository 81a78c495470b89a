// Composition of geometries, and what they need of the source.
#include "penstock/transform/geometry.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace penstock::transform {
namespace {

Range intersection(const Range& a, const Range& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

// Where a range of the output lies in the source.
Range to_source(const Axis& axis, const Range& range) {
  const double a = axis.offset + axis.scale * range.low;
  const double b = axis.offset + axis.scale * range.high;
  return {std::min(a, b), std::max(a, b)};
}

Axis unchanged_axis(int size) {
  const Range all{0, static_cast<double>(size)};
  return {.size = size, .canvas = all, .image = all, .content_low = 0, .content_high = size};
}

Axis mirrored_axis(int size) {
  Axis axis = unchanged_axis(size);
  axis.offset = size;
  axis.scale = -1;
  return axis;
}

// Columns [low, low + size) of an axis of old_size; they may lie outside of it.
Axis window_axis(int old_size, int low, int size) {
  const Range window{static_cast<double>(low), static_cast<double>(low) + size};
  return {.size = size,
          .offset = window.low,
          .canvas = window,
          .image = intersection(window, {0, static_cast<double>(old_size)}),
          .content_low = 0,
          .content_high = size};
}

Axis resized_axis(int old_size, int size) {
  Axis axis = unchanged_axis(old_size);
  axis.size = size;
  axis.scale = static_cast<double>(old_size) / size;
  axis.content_high = size;
  return axis;
}

// The outputs of a moved but not resampled axis that come from `range` of its source.
std::pair<int, int> outputs_from(const Axis& axis, const Range& range) {
  const double a = (range.low - axis.offset) * axis.scale;
  const double b = (range.high - axis.offset) * axis.scale;
  const double size = axis.size;
  const double low = std::clamp(std::min(a, b), 0.0, size);
  const double high = std::clamp(std::max(a, b), low, size);
  return {static_cast<int>(low), static_cast<int>(high)};
}

Axis compose_axis(const Axis& first, bool first_resampled, const Axis& second,
                  bool second_resampled) {
  Axis axis{.size = second.size,
            .offset = first.offset + first.scale * second.offset,
            .scale = first.scale * second.scale};
  const Range first_content{static_cast<double>(first.content_low),
                            static_cast<double>(first.content_high)};
  if (first_resampled && !second_resampled) {
    // A crop after a resize does not cut the filter off; padding after it stays sharp.
    axis.canvas = first.canvas;
    axis.image = first.image;
    std::tie(axis.content_low, axis.content_high) =
        outputs_from(second, intersection(second.image, first_content));
    return axis;
  }
  axis.content_low = second.content_low;
  axis.content_high = second.content_high;
  axis.canvas = to_source(first, second.canvas);
  axis.image = intersection(first.image, to_source(first, second.image));
  if (first_resampled) axis.image = intersection(axis.image, to_source(first, first_content));
  return axis;
}

// The source pixels under the filter, as whole numbers [low, high); at least one pixel.
std::pair<int, int> needed_range(const Axis& axis, const Geometry& geometry, int eighths) {
  const bool is_filtered = geometry.is_resampled && geometry.filter != Filter::kNearest;
  // From a centre to the furthest pixel that counts; one exactly there has no weight.
  const double widening = std::max(1.0, std::abs(axis.scale));
  const double reach = is_filtered ? filter_radius(geometry.filter) * widening - 0.5 : 0;
  Range centres{axis.offset + axis.scale * (axis.content_low + 0.5),
                axis.offset + axis.scale * (axis.content_high - 0.5)};
  if (centres.low > centres.high) std::swap(centres.low, centres.high);
  // A coarse pixel reaches further than the filter that touches it.
  const double margin = eighths < 8 ? std::ceil(8.0 / eighths) : 0;
  const double end = std::max(std::ceil(centres.high + reach), std::floor(centres.high) + 1);
  const Range touched{std::floor(centres.low - reach) - margin, end + margin};
  const Range visible = intersection(axis.canvas, axis.image);
  const double low = std::max(touched.low, std::floor(visible.low));
  const double high = std::min(touched.high, std::ceil(visible.high));
  if (high > low) return {static_cast<int>(low), static_cast<int>(high)};
  const double last = std::max(axis.image.high - 1, 0.0);
  const int nearest = static_cast<int>(std::clamp(std::floor(axis.image.low), 0.0, last));
  return {nearest, nearest + 1};
}

int fewest_eighths(const Geometry& geometry) {
  if (geometry.filter == Filter::kNearest) return 8;
  const double scale = std::min(std::abs(geometry.x.scale), std::abs(geometry.y.scale));
  int eighths = 1;
  while (eighths < 8 && scale * eighths < 8 * kMinScaleAfterShrink) ++eighths;
  return eighths;
}

}  // namespace

double filter_radius(Filter filter) {
  switch (filter) {
    case Filter::kNearest:
      return 0.5;
    case Filter::kBilinear:
      return 1;
    case Filter::kBicubic:
      return 2;
  }
  return 1;
}

Geometry unchanged(ImageSize size) {
  return {.x = unchanged_axis(size.width), .y = unchanged_axis(size.height)};
}

Geometry mirrored(ImageSize size) {
  return {.x = mirrored_axis(size.width), .y = unchanged_axis(size.height)};
}

Geometry cropped(ImageSize size, const Rect& rect) {
  return {.x = window_axis(size.width, rect.x, rect.width),
          .y = window_axis(size.height, rect.y, rect.height)};
}

Geometry resized(ImageSize size, ImageSize new_size, Filter filter) {
  return {.x = resized_axis(size.width, new_size.width),
          .y = resized_axis(size.height, new_size.height),
          .filter = filter,
          .is_resampled = true};
}

Geometry padded(ImageSize size, const Padding& padding, FillColour fill) {
  return {.x = window_axis(size.width, -padding.left, size.width + padding.left + padding.right),
          .y = window_axis(size.height, -padding.top, size.height + padding.top + padding.bottom),
          .is_padded = true,
          .fill = fill};
}

Geometry compose(const Geometry& first, const Geometry& second) {
  return {
      .x = compose_axis(first.x, first.is_resampled, second.x, second.is_resampled),
      .y = compose_axis(first.y, first.is_resampled, second.y, second.is_resampled),
      .filter = second.is_resampled ? second.filter : first.filter,
      .is_resampled = first.is_resampled || second.is_resampled,
      .is_padded = first.is_padded || second.is_padded,
      .fill = second.is_padded ? second.fill : first.fill,
  };
}

ImageRequest needed_part(const Geometry& geometry) {
  const int eighths = fewest_eighths(geometry);
  const auto [left, right] = needed_range(geometry.x, geometry, eighths);
  const auto [top, bottom] = needed_range(geometry.y, geometry, eighths);
  return {.region = {left, top, right - left, bottom - top}, .min_eighths = eighths};
}

}  // namespace penstock::transform
