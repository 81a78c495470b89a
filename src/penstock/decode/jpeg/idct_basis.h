// The cosines of inverse DCTs that make fewer than 8 samples of a block.
#pragma once

#include <cstdint>

namespace penstock::decode {

// Bits behind the point of all constants of the inverse DCT.
inline constexpr int kConstBits = 13;

// weights[n][k]: how much of frequency k is in sample n, of the first half of the samples.
struct ScaledBasis {
  std::int16_t weights[4][8] = {};
};

// Of `num` samples, 1 to 8.
const ScaledBasis& scaled_basis(int num);

}  // namespace penstock::decode
