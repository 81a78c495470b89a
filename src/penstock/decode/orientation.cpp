// Turns images upright: the eight ways of EXIF are a transposition or none, then a mirroring of
// each axis or none.
#include "penstock/decode/orientation.h"

#include <algorithm>
#include <cstring>

namespace penstock::decode {
namespace {

// How upright coordinates follow from stored ones: swap, then mirror.
struct Turn {
  bool swaps = false;
  bool mirrors_x = false;
  bool mirrors_y = false;
};

Turn turn_of(int orientation) {
  switch (orientation) {
    case 2:
      return {.mirrors_x = true};
    case 3:
      return {.mirrors_x = true, .mirrors_y = true};
    case 4:
      return {.mirrors_y = true};
    case 5:
      return {.swaps = true};
    case 6:
      return {.swaps = true, .mirrors_x = true};
    case 7:
      return {.swaps = true, .mirrors_x = true, .mirrors_y = true};
    case 8:
      return {.swaps = true, .mirrors_y = true};
    default:
      return {};
  }
}

// Tiles keep the rows that are written and the rows that are read in the cache together.
constexpr int kTile = 32;

template <int kChannels>
void copy_turned(const ImageView& in, const Turn& turn, const MutableImage& out) {
  const std::ptrdiff_t step_x = turn.swaps ? static_cast<std::ptrdiff_t>(in.stride) : kChannels;
  const std::ptrdiff_t direction = turn.mirrors_x ? -step_x : step_x;
  for (int tile_y = 0; tile_y < out.height; tile_y += kTile) {
    for (int tile_x = 0; tile_x < out.width; tile_x += kTile) {
      const int end_y = std::min(tile_y + kTile, out.height);
      const int end_x = std::min(tile_x + kTile, out.width);
      for (int y = tile_y; y < end_y; ++y) {
        const int along = turn.mirrors_y ? out.height - 1 - y : y;
        const int across = turn.mirrors_x ? out.width - 1 - tile_x : tile_x;
        const std::uint8_t* from =
            turn.swaps ? in.row(across) + along * kChannels : in.row(along) + across * kChannels;
        std::uint8_t* to = out.row(y) + static_cast<std::ptrdiff_t>(tile_x) * kChannels;
        for (int x = tile_x; x < end_x; ++x) {
          std::memcpy(to, from, kChannels);
          to += kChannels;
          if (x + 1 < end_x) from += direction;
        }
      }
    }
  }
}

}  // namespace

ImageSize upright_size(ImageSize stored, int orientation) {
  return swaps_axes(orientation) ? ImageSize{stored.height, stored.width} : stored;
}

Rect stored_region(const Rect& upright_region, ImageSize stored, int orientation) {
  const Turn turn = turn_of(orientation);
  const ImageSize upright = upright_size(stored, orientation);
  Rect region = upright_region;
  if (turn.mirrors_x) region.x = upright.width - region.x - region.width;
  if (turn.mirrors_y) region.y = upright.height - region.y - region.height;
  if (turn.swaps) {
    std::swap(region.x, region.y);
    std::swap(region.width, region.height);
  }
  return region;
}

ImagePart turn_upright(const ImagePart& stored, int orientation, PixelBuffer& buffer) {
  const Turn turn = turn_of(orientation);
  const ImageView& in = stored.pixels;
  const MutableImage out =
      buffer.prepare(upright_size({in.width, in.height}, orientation), in.channels);
  if (in.channels == 3) {
    copy_turned<3>(in, turn, out);
  } else {
    copy_turned<1>(in, turn, out);
  }

  ImagePart upright = stored;
  upright.pixels = out.view();
  upright.full_size = upright_size(stored.full_size, orientation);
  if (turn.swaps) std::swap(upright.origin_x, upright.origin_y);
  const double zoom = stored.eighths / 8.0;
  if (turn.mirrors_x) {
    upright.origin_x = upright.full_size.width * zoom - upright.origin_x - out.width;
  }
  if (turn.mirrors_y) {
    upright.origin_y = upright.full_size.height * zoom - upright.origin_y - out.height;
  }
  return upright;
}

}  // namespace penstock::decode
