// What the header of a JPEG says, as far as our own decoder goes: one Huffman-coded sequential scan
// of 8-bit samples, gray or YCbCr, of a common sampling. Everything else is for libjpeg-turbo.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "penstock/base/array.h"

namespace penstock::decode {

inline constexpr int kBlockSide = 8;
inline constexpr int kBlockSize = 64;

// Where each coefficient of a block, in the order of the file, lies in it.
inline constexpr std::array<std::uint8_t, kBlockSize> kZigzag = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

using QuantTable = std::array<std::uint16_t, kBlockSize>;  // row by row

// A Huffman code as a DHT segment gives it.
struct HuffmanSpec {
  std::array<std::uint8_t, 17> counts{};    // of codes of each length; the first is of no meaning
  std::array<std::uint8_t, 256> symbols{};  // in the order of their codes
  friend bool operator==(const HuffmanSpec&, const HuffmanSpec&) = default;
};

struct FrameComponent {
  int columns = 1;  // blocks of one MCU
  int rows = 1;
  int quant_table = 0;
  int dc_table = 0;
  int ac_table = 0;
};

struct Frame {
  ImageSize size;
  int num_components = 0;  // 1 or 3
  std::array<FrameComponent, 3> components;
  std::array<QuantTable, 4> quant_tables;
  std::array<HuffmanSpec, 4> dc_codes;
  std::array<HuffmanSpec, 4> ac_codes;
  int restart_interval = 0;    // in MCUs; 0: none
  std::size_t scan_begin = 0;  // of the entropy-coded bytes

  // Luma is never subsampled, so that an MCU is as large as its luma blocks.
  int mcu_width() const { return components[0].columns * kBlockSide; }
  int mcu_height() const { return components[0].rows * kBlockSide; }
  int num_mcu_columns() const { return (size.width + mcu_width() - 1) / mcu_width(); }
  int num_mcu_rows() const { return (size.height + mcu_height() - 1) / mcu_height(); }
};

// None if the image is of another kind, or if anything about its header is odd or damaged:
// libjpeg-turbo then reads it or says what is wrong.
std::optional<Frame> read_frame(Bytes bytes);

}  // namespace penstock::decode
