// What render() should give, for tests: the definitions in geometry.h and colour.h, in double,
// pixel by pixel.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "penstock/transform/render.h"
#include "penstock/transform/taps.h"

namespace penstock::transform {

inline double filter_at(Filter filter, double x) {
  x = std::abs(x);
  if (filter == Filter::kBilinear) return x < 1 ? 1 - x : 0;
  if (x < 1) return 1.5 * x * x * x - 2.5 * x * x + 1;
  return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0;
}

inline double length_in(double low, double high, const Range& range) {
  return std::max(0.0, std::min(high, range.high) - std::max(low, range.low));
}

// The weight of each pixel of the part in one output; the rest up to 1 is the fill colour's.
inline std::vector<double> reference_weights(const Axis& axis, Filter filter, const PartAxis& part,
                                             int output) {
  std::vector<double> weights(static_cast<std::size_t>(part.num_pixels));
  if (output < axis.content_low || output >= axis.content_high) return weights;
  const double centre = axis.offset + axis.scale * (output + 0.5);
  const double shrink = 8.0 / part.eighths;
  const double widening = std::max(shrink, std::abs(axis.scale));
  const Range seen{std::max(axis.image.low, axis.canvas.low),
                   std::min(axis.image.high, axis.canvas.high)};
  double sum = 0;
  const int reach = 200;  // further than any filter here, so that padding is counted too
  for (int j = -reach; j < part.num_pixels + reach; ++j) {
    const double low = (part.origin + j) * 8 / part.eighths;
    const double high = (part.origin + j + 1) * 8 / part.eighths;
    const double weight = filter == Filter::kNearest
                              ? static_cast<double>(centre >= low && centre < high)
                              : filter_at(filter, ((low + high) / 2 - centre) / widening);
    sum += weight * length_in(low, high, axis.canvas);
    if (j >= 0 && j < part.num_pixels) {
      weights[static_cast<std::size_t>(j)] = weight * length_in(low, high, seen);
    }
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

inline std::array<double, 3> reference_pixel(const ImagePart& part, const Geometry& geometry,
                                             const std::vector<double>& wx,
                                             const std::vector<double>& wy) {
  const ImageView& view = part.pixels;
  std::array<double, 3> sum{};
  double covered = 0;
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x) {
      const double weight = wx[static_cast<std::size_t>(x)] * wy[static_cast<std::size_t>(y)];
      covered += weight;
      for (int c = 0; c < view.channels; ++c) {
        sum[static_cast<std::size_t>(c)] += weight * view.row(y)[x * view.channels + c];
      }
    }
  }
  for (std::size_t c = 0; c < 3; ++c) sum[c] += (1 - covered) * geometry.fill[c];
  return sum;
}

// In 0..255 for u8, as stored otherwise; CHW.
inline std::vector<double> reference(const ImagePart& part, const Geometry& geometry,
                                     const Colour& colour, const PixelFormat& format) {
  const ImageView& view = part.pixels;
  const auto width = static_cast<std::size_t>(geometry.x.size);
  const auto height = static_cast<std::size_t>(geometry.y.size);
  const auto channels = static_cast<std::size_t>(format.channels);
  std::vector<double> out(width * height * channels);
  std::vector<std::vector<double>> wx(width);
  for (std::size_t x = 0; x < width; ++x) {
    wx[x] = reference_weights(geometry.x, geometry.filter,
                              {part.origin_x, view.width, part.eighths}, static_cast<int>(x));
  }
  for (std::size_t y = 0; y < height; ++y) {
    const auto wy =
        reference_weights(geometry.y, geometry.filter, {part.origin_y, view.height, part.eighths},
                          static_cast<int>(y));
    for (std::size_t x = 0; x < width; ++x) {
      std::array<double, 3> in = reference_pixel(part, geometry, wx[x], wy);
      if (channels == 1) in[1] = in[2] = in[0];
      for (std::size_t c = 0; c < channels; ++c) {
        const auto& m = colour.matrix[c];
        double value = m[0] * in[0] + m[1] * in[1] + m[2] * in[2] + m[3];
        value = std::clamp(value, 0.0, 255.0);
        if (format.dtype != DType::kU8) value /= 255;
        if (colour.is_normalized) value = (value - colour.mean[c]) / colour.deviation[c];
        out[(c * height + y) * width + x] = value;
      }
    }
  }
  return out;
}

}  // namespace penstock::transform
