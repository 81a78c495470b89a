// The colour algebra.
#include "penstock/transform/colour.h"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace penstock::transform {
namespace {

using Matrix3 = std::array<std::array<double, 3>, 3>;

// RGB to YIQ (NTSC, 1953). The last two rows add up to 0, so gray stays gray.
constexpr Matrix3 kYiqFromRgb = {{{kLuma[0], kLuma[1], kLuma[2]},
                                  {0.595716, -0.274453, -0.321263},
                                  {0.211456, -0.522591, 0.311135}}};

// By Cramer's rule.
Matrix3 inverse(const Matrix3& m) {
  const auto minor = [&](std::size_t row, std::size_t column) {
    const std::size_t r0 = (row + 1) % 3, r1 = (row + 2) % 3;
    const std::size_t c0 = (column + 1) % 3, c1 = (column + 2) % 3;
    return m[r0][c0] * m[r1][c1] - m[r0][c1] * m[r1][c0];
  };
  const double determinant = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
  Matrix3 result{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      result[row][column] = minor(column, row) / determinant;
    }
  }
  return result;
}

Matrix3 multiply(const Matrix3& a, const Matrix3& b) {
  Matrix3 product{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      for (std::size_t k = 0; k < 3; ++k) product[row][column] += a[row][k] * b[k][column];
    }
  }
  return product;
}

// First b, then a.
ColourMatrix multiply(const ColourMatrix& a, const ColourMatrix& b) {
  ColourMatrix product{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      for (std::size_t k = 0; k < 3; ++k) product[row][column] += a[row][k] * b[k][column];
    }
    product[row][3] += a[row][3];
  }
  return product;
}

}  // namespace

Colour blended(double factor, const ColourMatrix& other) {
  if (factor == 1) return {};
  Colour colour{.is_adjusted = true};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      colour.matrix[row][column] =
          factor * kSameColour[row][column] + (1 - factor) * other[row][column];
    }
  }
  return colour;
}

Colour compose(const Colour& first, const Colour& second) {
  Colour colour = second;
  colour.is_adjusted = first.is_adjusted || second.is_adjusted;
  if (first.is_adjusted) colour.matrix = multiply(second.matrix, first.matrix);
  return colour;
}

Colour brightened(double factor) { return blended(factor, ColourMatrix{}); }

Colour contrasted(double factor, double center) {
  const double level = center * 255;
  return blended(factor, {{{0, 0, 0, level}, {0, 0, 0, level}, {0, 0, 0, level}}});
}

Colour saturated(double factor) { return blended(factor, kGray); }

Colour hue_turned(double turns) {
  if (turns == 0) return {};
  const double angle = turns * 2 * std::numbers::pi;
  const double c = std::cos(angle), s = std::sin(angle);
  const Matrix3 turn = {{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
  const Matrix3 rgb = multiply(inverse(kYiqFromRgb), multiply(turn, kYiqFromRgb));
  Colour colour{.is_adjusted = true};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column)
      colour.matrix[row][column] = rgb[row][column];
  }
  return colour;
}

}  // namespace penstock::transform
