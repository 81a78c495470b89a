// The cosines of inverse DCTs that make fewer than 8 samples of a block.
#pragma once

#include <cstdint>

namespace penstock::decode {

// Bits behind the point of all constants of the inverse DCT.
inline constexpr int kConstBits = 13;

// Weights of two neighbouring lanes of 16 bits.
constexpr std::int32_t weight_pair(std::int16_t a, std::int16_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint16_t>(a) |
                                   static_cast<std::uint32_t>(static_cast<std::uint16_t>(b)) << 16);
}

// weights[n]: how much of frequencies 0 and 2, 1 and 3, 4 and 6, 5 and 7 is in sample n, of the
// first half of the samples.
struct ScaledBasis {
  std::int32_t weights[4][4] = {};
};

// Of `num` samples, 1 to 8.
const ScaledBasis& scaled_basis(int num);

}  // namespace penstock::decode
