// Dequantisation and inverse DCT.
#pragma once

#include <cstddef>
#include <cstdint>

#include "penstock/decode/jpeg/frame.h"

namespace penstock::decode {

// A row of neighbouring blocks of one component.
struct IdctRow {
  std::int16_t* coefficients =
      nullptr;  // in the CoefficientLayout of num_idct_lanes(); set to zero
  int num_blocks = 0;
  std::uint8_t* samples =
      nullptr;  // 8 rows, `stride` bytes apart; whole groups of blocks are written
  std::size_t stride = 0;
};

// How many blocks the CPU at hand takes at once.
int num_idct_lanes();

// Bit for bit what libjpeg-turbo's accurate integer DCT gives ("islow", with SIMD). False, and
// samples of no use, if a coefficient is so large that libjpeg's arithmetic overflows.
bool inverse_dct(const IdctRow& row, const QuantTable& quant);

}  // namespace penstock::decode
