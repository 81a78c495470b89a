// Dequantisation and inverse DCT.
#pragma once

#include <cstddef>
#include <cstdint>

#include "penstock/decode/jpeg/frame.h"

namespace penstock::decode {

// How many samples a block becomes: n x n, 2n x n, n x 2n or 4n x n, 1 to 8 each way.
struct BlockSamples {
  int columns = kBlockSide;
  int rows = kBlockSide;
};

// A row of neighbouring blocks of one component.
struct IdctRow {
  std::int16_t* coefficients =
      nullptr;  // in the CoefficientLayout of num_idct_lanes(); set to zero
  int num_blocks = 0;
  BlockSamples block;
  // block.rows rows, `stride` bytes apart. Behind the last block up to 16 bytes are overwritten.
  std::uint8_t* samples = nullptr;
  std::size_t stride = 0;
};

// How many blocks the CPU at hand takes at once.
int num_idct_lanes();

// At full size bit for bit what libjpeg-turbo's accurate integer DCT gives ("islow", with SIMD).
// False, and samples of no use, if a coefficient is so large that libjpeg's arithmetic overflows.
// Fewer samples are made of the lowest frequencies alone, which is the sharpest image of that size.
bool inverse_dct(const IdctRow& row, const QuantTable& quant);

}  // namespace penstock::decode
