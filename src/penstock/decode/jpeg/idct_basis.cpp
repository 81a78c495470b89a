// The cosines, made once.
#include "penstock/decode/jpeg/idct_basis.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace penstock::decode {
namespace {

// Sample n of `num` is the value of the block's cosines in the middle of its share of the block
// (T.81, A.3.3, with `num` for 8), without those that are too fast for it.
std::int16_t weight(int num, int n, int k) {
  if (k >= num) return 0;
  const double amplitude = k == 0 ? std::numbers::sqrt2 / 4 : 0.5;
  const double cosine = std::cos((2 * n + 1) * k * std::numbers::pi / (2 * num));
  return static_cast<std::int16_t>(std::lround(amplitude * cosine * (1 << kConstBits)));
}

ScaledBasis make_basis(int num) {
  ScaledBasis basis;
  for (int n = 0; 2 * n < num; ++n) {
    for (int pair = 0; pair < 4; ++pair) {
      const int k = pair / 2 * 4 + pair % 2;
      basis.weights[n][pair] = weight_pair(weight(num, n, k), weight(num, n, k + 2));
    }
  }
  return basis;
}

}  // namespace

const ScaledBasis& scaled_basis(int num) {
  static const std::array<ScaledBasis, 8> bases = [] {
    std::array<ScaledBasis, 8> made;
    for (int i = 0; i < 8; ++i) made[static_cast<std::size_t>(i)] = make_basis(i + 1);
    return made;
  }();
  return bases[static_cast<std::size_t>(num - 1)];
}

}  // namespace penstock::decode
