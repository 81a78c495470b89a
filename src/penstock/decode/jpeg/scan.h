// Decodes the part of a scan that a window of the image needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/decode/jpeg/entropy.h"
#include "penstock/decode/jpeg/entry_points.h"
#include "penstock/decode/jpeg/frame.h"
#include "penstock/decode/jpeg/huffman.h"
#include "penstock/decode/jpeg/idct.h"

namespace penstock::decode {

// Columns and rows of MCUs, half-open and not empty.
struct McuWindow {
  int left = 0;
  int right = 0;
  int top = 0;
  int bottom = 0;
};

// Where the samples of one component go: those of the window's blocks, and up to kPlaneSlack bytes
// more in each row.
struct PlaneTarget {
  std::uint8_t* samples = nullptr;  // null: the component is not wanted
  std::size_t stride = 0;
  BlockSamples block;  // that a block becomes
};
inline constexpr int kPlaneSlack = 16;

struct ScanRequest {
  McuWindow window;
  std::array<PlaneTarget, 3> planes;
  bool reads_to_end = false;  // also what lies below the window, without keeping it
};

// Memory that is kept from image to image.
struct ScanScratch {
  HuffmanTables tables;
  std::vector<std::uint8_t> plain;         // bytes without stuffing
  std::vector<std::uint32_t> stuffed;      // where in `plain` a zero was left out
  std::vector<std::int16_t> coefficients;  // all zero between uses

  std::size_t size_bytes() const;
};

// Uses entry points, and adds to them if `learns`. False if the scan is not as it should be, where
// it was read: libjpeg-turbo then says what is wrong, or makes do with it.
bool decode_scan(const Frame& frame, Bytes image, const ScanRequest& request, EntryPoints& points,
                 bool learns, ScanScratch& scratch);

}  // namespace penstock::decode
