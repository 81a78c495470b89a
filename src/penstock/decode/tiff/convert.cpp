// Converts rows of samples of TIFF files to RGB, as Pillow does.
#include "penstock/decode/tiff/convert.h"

#include <algorithm>
#include <cstring>

#include "penstock/decode/pixel_convert.h"

namespace penstock::decode {
namespace {

// The sample of a pixel in a row where several share a byte, the first in its high bits.
unsigned packed_sample(const TiffRow& row, int bits, int x) {
  const std::size_t bit = static_cast<std::size_t>(x) * static_cast<std::size_t>(bits);
  const int shift = 8 - bits - static_cast<int>(bit % 8);
  return static_cast<unsigned>(row.samples[0][bit / 8] >> shift) & ((1u << bits) - 1);
}

// Of a pixel whose only colour sample is gray or an index.
unsigned single_sample(const TiffLayout& layout, const TiffRow& row, int x) {
  if (layout.bits < 8) return packed_sample(row, layout.bits, x);
  return row.samples[0][static_cast<std::size_t>(x) * row.step];
}

// A colour that was multiplied with alpha; without colour where alpha is 0.
std::uint8_t divided(unsigned colour, unsigned alpha) {
  if (alpha == 0) return 0;
  return static_cast<std::uint8_t>(std::min(colour * 255 / alpha, 255u));
}

void convert_gray(const TiffLayout& layout, const TiffRow& row, int x, std::uint8_t* rgb) {
  unsigned gray = single_sample(layout, row, x);
  if (layout.bits < 8) gray = gray * 255 / ((1u << layout.bits) - 1);
  if (layout.colour == TiffColour::kInvertedGray) gray = 255 - gray;
  if (layout.has_multiplied_alpha) {
    gray = divided(gray, row.samples[1][static_cast<std::size_t>(x) * row.step]);
  }
  std::memset(rgb, static_cast<int>(gray), 3);
}

void convert_rgb(const TiffLayout& layout, const TiffRow& row, int x, std::uint8_t* rgb) {
  const std::size_t offset = static_cast<std::size_t>(x) * row.step;
  for (std::size_t c = 0; c < 3; ++c) rgb[c] = row.samples[c][offset];
  if (!layout.has_multiplied_alpha) return;
  for (std::size_t c = 0; c < 3; ++c) rgb[c] = divided(rgb[c], row.samples[3][offset]);
}

void convert_cmyk(const TiffRow& row, int x, std::uint8_t* rgb) {
  std::array<std::uint8_t, 4> inverted;
  for (std::size_t c = 0; c < 4; ++c) {
    inverted[c] =
        static_cast<std::uint8_t>(255 - row.samples[c][static_cast<std::size_t>(x) * row.step]);
  }
  convert_inverted_cmyk(inverted.data(), 1, 3, rgb);
}

}  // namespace

Result<TiffPalette> read_tiff_palette(const TiffSession& session, const TiffLayout& layout) {
  TiffPalette palette{};
  if (layout.colour != TiffColour::kPalette) return palette;
  std::array<std::uint16_t*, 3> channels{};
  if (TIFFGetField(session.tiff(), TIFFTAG_COLORMAP, &channels[0], &channels[1], &channels[2]) !=
      1) {
    return corrupt("no colours, expected a palette");
  }
  for (std::size_t i = 0; i < (std::size_t{1} << layout.bits); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      palette[i][c] = static_cast<std::uint8_t>(channels[c][i] >> 8);
    }
  }
  return palette;
}

void convert_tiff_row(const TiffLayout& layout, const TiffPalette& palette, const TiffRow& row,
                      int begin, int width, std::uint8_t* rgb) {
  for (int x = begin; x < begin + width; ++x, rgb += 3) {
    switch (layout.colour) {
      case TiffColour::kGray:
      case TiffColour::kInvertedGray:
        convert_gray(layout, row, x, rgb);
        break;
      case TiffColour::kPalette:
        std::memcpy(rgb, palette[single_sample(layout, row, x)].data(), 3);
        break;
      case TiffColour::kRgb:
        convert_rgb(layout, row, x, rgb);
        break;
      case TiffColour::kCmyk:
        convert_cmyk(row, x, rgb);
        break;
      case TiffColour::kYcbcr:  // libtiff converts these
        break;
    }
  }
}

}  // namespace penstock::decode
