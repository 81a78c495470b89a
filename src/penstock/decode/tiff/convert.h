// From the samples of TIFF files to RGB.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "penstock/decode/tiff/layout.h"

namespace penstock::decode {

// The colours of a palette.
using TiffPalette = std::array<std::array<std::uint8_t, 3>, 256>;

// All black if pixels have no palette; kCorrupt if they need one and the file has none.
Result<TiffPalette> read_tiff_palette(const TiffSession& session, const TiffLayout& layout);

// A row of decoded samples.
struct TiffRow {
  // The first pixel's value of each used sample, of 16 bits the high byte. Below 8 bits: the row.
  std::array<const std::uint8_t*, 4> samples{};
  std::size_t step = 1;  // in bytes from pixel to pixel
};

// Converts pixels [begin, begin + width) of the row.
void convert_tiff_row(const TiffLayout& layout, const TiffPalette& palette, const TiffRow& row,
                      int begin, int width, std::uint8_t* rgb);

}  // namespace penstock::decode
