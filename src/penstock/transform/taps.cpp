// Filter weights along one axis, as PIL computes them: the filter is centred on the output pixel,
// widened by the scale, cut off at the canvas and made to add up to one.
#include "penstock/transform/taps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace penstock::transform {
namespace {

struct Nearest {
  static double at(double) { return 1; }
};

struct Bilinear {
  static double at(double x) {
    const double value = 1 - std::abs(x);
    return value > 0 ? value : 0;  // one instruction, where std::max is a branch
  }
};

// Keys' cubic convolution with a = -0.5.
struct Bicubic {
  static double at(double x) {
    x = std::abs(x);
    if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
    if (x < 2) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
    return 0;
  }
};

// An Axis in pixels of the part instead of the source.
struct PartMap {
  double offset;  // these two in pixels of the source
  double scale;
  double zoom;  // pixels of the part to one of the source
  double origin;
  double radius;   // of the filter
  double support;  // radius, widened by the scale
  Range canvas;
  Range image;
  int first_pixel;  // of the canvas
  int last_pixel;

  // Moving to the part comes last: where it begins does not change how a centre between two pixels
  // is rounded.
  double centre(int output) const { return (offset + scale * (output + 0.5)) * zoom - origin; }
};

struct Window {
  int low;
  int high;
};

PartMap part_map(const Axis& axis, Filter filter, const PartAxis& part) {
  const double zoom = part.eighths / 8.0;
  const auto to_part = [&](const Range& range) -> Range {
    return {range.low * zoom - part.origin, range.high * zoom - part.origin};
  };
  PartMap map{.offset = axis.offset,
              .scale = axis.scale,
              .zoom = zoom,
              .origin = part.origin,
              .canvas = to_part(axis.canvas),
              .image = to_part(axis.image)};
  const double widening =
      filter == Filter::kNearest ? 1 : std::max(1.0, std::abs(axis.scale) * zoom);
  map.radius = filter_radius(filter);
  map.support = map.radius * widening;
  map.first_pixel = static_cast<int>(std::floor(map.canvas.low));
  map.last_pixel = std::max(map.first_pixel, static_cast<int>(std::ceil(map.canvas.high)) - 1);
  map.image = {std::max(map.image.low, map.canvas.low), std::min(map.image.high, map.canvas.high)};
  return map;
}

// std::floor for numbers of image coordinates; a library call on older CPUs otherwise.
int floor_of(double x) {
  const int cut_off = static_cast<int>(x);
  return cut_off - static_cast<int>(cut_off > x);
}

// The part's pixels under the filter that lie on the canvas; at least one.
Window window_at(const PartMap& map, double centre) {
  const double reach = map.support - 0.5;
  const int low = std::clamp(floor_of(centre - reach), map.first_pixel, map.last_pixel);
  const int high = std::clamp(floor_of(centre + reach), low, map.last_pixel);
  return {low, high + 1};
}

// How much of pixel j lies in the range.
double overlap(int j, const Range& range) {
  return std::clamp(std::min(j + 1.0, range.high) - std::max<double>(j, range.low), 0.0, 1.0);
}

// The part's pixels that lie in the image, if only in part.
Window image_window(const PartMap& map, const PartAxis& part) {
  const double num = part.num_pixels;
  const double low = std::clamp(std::floor(map.image.low), 0.0, num);
  const double high = std::clamp(std::ceil(map.image.high), low, num);
  return {static_cast<int>(low), static_cast<int>(high)};
}

// Turns real weights into fixed point ones that add up to kOne. Rounds the running sum, not each
// weight, so that many small weights are not lost. Returns how many are left without the zeros at
// the end.
int quantize(std::span<const double> raw, double factor, std::int16_t* weights) {
  // Sums never fall below -kOne, so that a conversion, which cuts off, rounds down.
  double sum = kOne + 0.5;
  int reached = kOne;
  int num_taps = 0;
  for (std::size_t k = 0; k < raw.size(); ++k) {
    sum += raw[k] * factor;
    const int rounded = static_cast<int>(sum);
    weights[k] = static_cast<std::int16_t>(rounded - reached);
    num_taps = rounded != reached ? static_cast<int>(k) + 1 : num_taps;
    reached = rounded;
  }
  return num_taps;
}

template <class Kernel>
class TapMaker {
 public:
  TapMaker(const PartMap& map, const Window& image, AxisTaps& taps)
      : map_(map), image_(image), taps_(taps), narrowing_(map.radius / map.support) {
    const double inner_low = std::max(std::ceil(map.image.low), std::ceil(map.canvas.low));
    const double inner_high = std::min(std::floor(map.image.high), std::floor(map.canvas.high));
    inner_ = {std::max(image.low, static_cast<int>(std::max(inner_low, -1e9))),
              std::min(image.high, static_cast<int>(std::min(inner_high, 1e9)))};
    raw_.resize(static_cast<std::size_t>(taps.stride));
    num_inside_ = static_cast<int>(std::ceil(2 * map.support));
  }

  void make(int output) {
    const double centre = map_.centre(output);
    const Window window = window_at(map_, centre);
    std::int16_t* weights = &taps_.weights[static_cast<std::size_t>(output) * taps_.stride];
    const bool is_inside = window.low >= inner_.low && window.low + num_inside_ <= inner_.high;
    const Taps made = is_inside ? inside(window.low, centre) : at_border(window, centre);
    const auto raw = std::span<const double>(raw_).first(static_cast<std::size_t>(made.num));
    const int num_taps = quantize(raw, kOne / made.sum, weights);
    taps_.first[static_cast<std::size_t>(output)] = made.first;
    taps_.num_taps = std::max(taps_.num_taps, num_taps);
  }

 private:
  struct Taps {
    int first;
    int num;
    double sum;
  };

  double weight(int j, double centre) const { return Kernel::at((j + 0.5 - centre) * narrowing_); }

  // Always the same number of taps, if only with weight 0, so that branches are foreseen.
  Taps inside(int low, double centre) {
    double sum = 0;
    for (int k = 0; k < num_inside_; ++k) {
      const double value = weight(low + k, centre);
      raw_[static_cast<std::size_t>(k)] = value;
      sum += value;
    }
    return {low - taps_.low + 1, num_inside_, sum};
  }

  // Some of the window has the fill colour. Its weight is gathered on the positions before and
  // after the image.
  Taps at_border(const Window& window, double centre) {
    const Window seen{std::max(window.low, image_.low), std::min(window.high, image_.high)};
    double before = 0, after = 0, sum = 0;
    for (int j = window.low; j < window.high; ++j) {
      const double whole = weight(j, centre) * overlap(j, map_.canvas);
      const double share = weight(j, centre) * overlap(j, map_.image);
      const bool is_seen = j >= seen.low && j < seen.high;
      if (is_seen) raw_[static_cast<std::size_t>(j - seen.low) + 1] = share;
      if (!is_seen && share != 0) continue;  // the part ends before its image does
      (j <= image_.low ? before : after) += whole - share;
      sum += whole;
    }
    if (seen.low >= seen.high || sum == 0) return fill_only();
    const int num_seen = seen.high - seen.low;
    raw_[0] = before;
    raw_[static_cast<std::size_t>(num_seen) + 1] = after;
    if (before == 0) {
      std::copy(raw_.begin() + 1, raw_.begin() + num_seen + 2, raw_.begin());
      return {seen.low - taps_.low + 1, num_seen + 1, sum};
    }
    return {0, num_seen + 2, sum};
  }

  Taps fill_only() {
    raw_[0] = 1;
    return {0, 1, 1};
  }

  const PartMap& map_;
  const Window image_;
  AxisTaps& taps_;
  const double narrowing_;
  Window inner_{};  // pixels that lie in the image, wholly
  int num_inside_;  // the most pixels that the filter can touch
  std::vector<double> raw_;
};

template <class Kernel>
void make_all(const Axis& axis, const PartMap& map, const Window& image, AxisTaps& taps) {
  TapMaker<Kernel> maker(map, image, taps);
  for (int i = axis.content_low; i < axis.content_high; ++i) maker.make(i);
}

void make_fill(int begin, int end, AxisTaps& taps) {
  for (int i = begin; i < end; ++i) {
    taps.first[static_cast<std::size_t>(i)] = 0;
    taps.weights[static_cast<std::size_t>(i) * taps.stride] = kOne;
  }
}

}  // namespace

void make_taps(const Axis& axis, Filter filter, const PartAxis& part, AxisTaps& taps) {
  const PartMap map = part_map(axis, filter, part);
  const Window image = image_window(map, part);
  taps.low = image.low;
  taps.num_pixels = 0;
  taps.num_taps = 1;
  if (axis.content_low < axis.content_high) {
    const Window a = window_at(map, map.centre(axis.content_low));
    const Window b = window_at(map, map.centre(axis.content_high - 1));
    taps.low = std::clamp(std::min(a.low, b.low), image.low, image.high);
    taps.num_pixels = std::clamp(std::max(a.high, b.high), taps.low, image.high) - taps.low;
  }
  // Two more for the fill colour on either side.
  const int most = static_cast<int>(2 * map.support) + 2 + 2;
  taps.stride = (most + kTapBlock - 1) / kTapBlock * kTapBlock;
  taps.first.resize(static_cast<std::size_t>(axis.size));
  taps.weights.assign(static_cast<std::size_t>(axis.size) * taps.stride, 0);
  make_fill(0, axis.content_low, taps);
  make_fill(axis.content_high, axis.size, taps);
  if (filter == Filter::kNearest) return make_all<Nearest>(axis, map, image, taps);
  if (filter == Filter::kBilinear) return make_all<Bilinear>(axis, map, image, taps);
  make_all<Bicubic>(axis, map, image, taps);
}

}  // namespace penstock::transform
