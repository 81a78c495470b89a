// What the headers of a BMP file say about the image.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

bool is_bmp(Bytes bytes);

// Where one channel lies in a pixel of 16, 24 or 32 bits.
struct BmpChannel {
  int shift = 0;
  std::uint32_t max = 0;  // the largest value; 2^n - 1
};

// How the pixels are stored.
struct BmpLayout {
  ImageSize size;
  int bits = 0;  // to a pixel: 1, 4, 8, 16, 24 or 32
  bool is_rle = false;
  bool is_top_down = false;
  std::size_t stride = 0;     // from row to row, if not run-length encoded
  std::size_t row_bytes = 0;  // of these, used
  Bytes pixels;               // from the first stored row to the end of the file
  Bytes palette;              // entries of blue, green, red and perhaps one more byte
  std::size_t entry_bytes = 4;
  std::array<BmpChannel, 3> channels;  // red, green, blue; of pixels without a palette

  std::size_t num_colours() const { return palette.size() / entry_bytes; }
};

// The headers of Windows 2 to 5 and of OS/2 1 and 2. kCorrupt if the file is shorter than the
// headers, the palette or, if they are not run-length encoded, the pixels need.
Result<BmpLayout> read_bmp_layout(Bytes bytes);

Result<ImageHeader> read_bmp_header(Bytes bytes);

}  // namespace penstock::decode
