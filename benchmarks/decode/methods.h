// The ways to decode that are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/jpeg/huffman.h"

namespace penstock::decode {

struct BenchImage {
  std::vector<std::byte> bytes;
  Rect crop;
  std::vector<std::byte> entry_points;  // if they are known
};

// One thread's memory.
struct BenchScratch {
  DecodeScratch decode;
  HuffmanTables tables;
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> plain;
  std::vector<std::uint32_t> stuffed;
  std::vector<std::int16_t> coefficients;
};

// False if the image could not be decoded.
using Method = bool (*)(const BenchImage& image, BenchScratch& scratch);

// libjpeg-turbo with as little around it as can be. A crop is not exact at its borders.
bool libjpeg_whole(const BenchImage& image, BenchScratch& scratch);
bool libjpeg_crop(const BenchImage& image, BenchScratch& scratch);
// All coefficients of the image, in memory.
bool libjpeg_coefficients(const BenchImage& image, BenchScratch& scratch);

// The same by our own entropy decoder; or only the way through the scan.
bool penstock_coefficients(const BenchImage& image, BenchScratch& scratch);
bool penstock_skip(const BenchImage& image, BenchScratch& scratch);
// Whether both can be asked of an image: one sequential scan without restart markers.
bool has_plain_scan(const BenchImage& image);

}  // namespace penstock::decode
