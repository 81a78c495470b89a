// The memory that decoders keep from image to image.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "penstock/base/array.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/jpeg/scan.h"

namespace penstock::decode {

struct PngState;

// Rows of pixels that a decoder fills.
struct MutableImage {
  std::uint8_t* data = nullptr;
  int width = 0;
  int height = 0;
  int channels = 0;
  std::size_t stride = 0;

  std::uint8_t* row(int y) const { return data + static_cast<std::size_t>(y) * stride; }
  ImageView view() const { return {data, width, height, channels, stride}; }
};

// Memory for one image. It only grows, and is not initialised.
class PixelBuffer {
 public:
  // Rows begin at multiples of kAlignment, and kAlignment bytes past the end of any row may be
  // read.
  static constexpr std::size_t kAlignment = 64;

  // Contents of an earlier image are lost.
  MutableImage prepare(ImageSize size, int channels);

  std::size_t size_bytes() const { return size_bytes_; }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  std::size_t size_bytes_ = 0;
};

struct DecodeScratch::State {
  State();
  ~State();

  PixelBuffer pixels;                 // as the file stores them
  PixelBuffer turned;                 // the same, turned upright
  PixelBuffer line;                   // one row before its last conversion
  std::array<PixelBuffer, 3> planes;  // luma and chroma
  ScanScratch jpeg;
  std::unique_ptr<PngState> png;  // from the first PNG on
};

}  // namespace penstock::decode
