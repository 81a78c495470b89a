// How the pixels of a TIFF file are stored, from the tags of its first directory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/request.h"
#include "penstock/decode/tiff/session.h"

namespace penstock::decode {

bool is_tiff(Bytes bytes);

enum class TiffColour : std::uint8_t {
  kGray,
  kInvertedGray,  // 0 is white
  kPalette,
  kRgb,
  kCmyk,
  kYcbcr,  // what libtiff itself must convert: chroma may have fewer samples
};

struct TiffLayout {
  ImageSize size;       // as stored
  int orientation = 1;  // 1 to 8
  TiffColour colour = TiffColour::kGray;
  int bits = 8;              // of a sample: 1, 2, 4, 8 or 16; below 8 only one sample to a pixel
  int num_samples = 1;       // to a pixel as they are stored
  bool is_separate = false;  // each sample in blocks of its own
  bool has_multiplied_alpha = false;  // the sample behind the colours is alpha, multiplied in

  // Pixels come in blocks: tiles, or strips, which are as wide as the image.
  bool is_tiled = false;
  ImageSize block;
  std::size_t block_row_bytes = 0;  // decoded; of one sample if they are separate

  // Of a pixel, those that its colour depends on: at most 4.
  int num_used_samples() const;
  std::size_t block_bytes() const {
    return block_row_bytes * static_cast<std::size_t>(block.height);
  }
};

// Also tells libtiff to convert JPEG-compressed YCbCr to RGB. kUnsupported for samples that are not
// unsigned integers, colour spaces that are not in TiffColour, and rare compressions; kCorrupt if
// the file is shorter than its blocks.
Result<TiffLayout> read_tiff_layout(const TiffSession& session);

Result<ImageHeader> read_tiff_header(Bytes bytes);

}  // namespace penstock::decode
