// GIF files for tests.
#pragma once

#include <gif_lib.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {

struct GifFile {
  ImageSize canvas;
  Rect place;
  std::vector<std::uint8_t> indices;  // of the frame, row by row
  std::vector<GifColorType> palette;  // 2, 4, ... or 256 colours
  bool is_interlaced = false;
  int transparent = NO_TRANSPARENT_COLOR;
};

inline int append_gif_bytes(GifFileType* file, const GifByteType* bytes, int size) {
  auto& out = *static_cast<Encoded*>(file->UserData);
  const auto* begin = reinterpret_cast<const std::byte*>(bytes);
  out.insert(out.end(), begin, begin + size);
  return size;
}

// A file of one frame, written by giflib.
inline Encoded gif_file(const GifFile& gif) {
  Encoded out;
  int error = 0;
  GifFileType* file = EGifOpen(&out, &append_gif_bytes, &error);
  EGifSetGifVersion(file, true);
  ColorMapObject* map = GifMakeMapObject(static_cast<int>(gif.palette.size()), gif.palette.data());
  EGifPutScreenDesc(file, gif.canvas.width, gif.canvas.height, 8, 0, map);
  if (gif.transparent != NO_TRANSPARENT_COLOR) {
    const GraphicsControlBlock control{0, false, 0, gif.transparent};
    GifByteType extension[4];
    EGifGCBToExtension(&control, extension);
    EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, 4, extension);
  }
  EGifPutImageDesc(file, gif.place.x, gif.place.y, gif.place.width, gif.place.height,
                   gif.is_interlaced, nullptr);
  constexpr std::pair<int, int> kPasses[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}, {0, 1}};
  for (int pass = gif.is_interlaced ? 0 : 4; pass < (gif.is_interlaced ? 4 : 5); ++pass) {
    for (int y = kPasses[pass].first; y < gif.place.height; y += kPasses[pass].second) {
      std::vector<GifPixelType> row(gif.indices.begin() + y * gif.place.width,
                                    gif.indices.begin() + (y + 1) * gif.place.width);
      EGifPutLine(file, row.data(), gif.place.width);
    }
  }
  GifFreeMapObject(map);
  EGifCloseFile(file, &error);
  return out;
}

// An RGB image in 64 colours as a GIF file of one frame.
inline Encoded encode_gif(const ImageView& image) {
  GifFile gif{{image.width, image.height}, {0, 0, image.width, image.height}, {}, {}};
  for (int i = 0; i < 64; ++i) {
    gif.palette.push_back({static_cast<GifByteType>(85 * (i / 16)),
                           static_cast<GifByteType>(85 * (i / 4 % 4)),
                           static_cast<GifByteType>(85 * (i % 4))});
  }
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const std::uint8_t* rgb = image.row(y) + 3 * x;
      gif.indices.push_back(
          static_cast<std::uint8_t>(rgb[0] / 64 * 16 + rgb[1] / 64 * 4 + rgb[2] / 64));
    }
  }
  return gif_file(gif);
}

}  // namespace penstock::decode
