// BMP files for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/base/array.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {

// Little-endian, `size` bytes.
inline std::string bmp_number(std::int64_t value, int size) {
  std::string text;
  for (int i = 0; i < size; ++i, value >>= 8) text += static_cast<char>(value);
  return text;
}

struct BmpFile {
  ImageSize size;  // negative height: top down
  int bits = 24;
  int compression = 0;
  std::string masks = {};    // behind the header
  std::string palette = {};  // entries of blue, green, red, 0
  std::string pixels;
};

// The file with the header of 40 bytes.
inline Encoded bmp_file(const BmpFile& bmp) {
  const auto offset = static_cast<std::int64_t>(54 + bmp.masks.size() + bmp.palette.size());
  const auto end = offset + static_cast<std::int64_t>(bmp.pixels.size());
  const std::string file =
      "BM" + bmp_number(end, 4) + bmp_number(0, 4) + bmp_number(offset, 4) + bmp_number(40, 4) +
      bmp_number(bmp.size.width, 4) + bmp_number(bmp.size.height, 4) + bmp_number(1, 2) +
      bmp_number(bmp.bits, 2) + bmp_number(bmp.compression, 4) + bmp_number(0, 12) +
      bmp_number(static_cast<std::int64_t>(bmp.palette.size() / 4), 4) + bmp_number(0, 4) +
      bmp.masks + bmp.palette + bmp.pixels;
  const auto* begin = reinterpret_cast<const std::byte*>(file.data());
  return {begin, begin + file.size()};
}

// An RGB image as a BMP file of 24 bits a pixel.
inline Encoded encode_bmp(const ImageView& image) {
  BmpFile bmp{{image.width, image.height}};
  for (int y = image.height - 1; y >= 0; --y) {
    for (int i = 0; i < image.width; ++i) {
      for (int c = 2; c >= 0; --c) bmp.pixels += static_cast<char>(image.row(y)[3 * i + c]);
    }
    bmp.pixels.append(static_cast<std::size_t>(image.width % 4), '\0');
  }
  return bmp_file(bmp);
}

}  // namespace penstock::decode
