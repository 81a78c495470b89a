// What the tests of the codecs share: images to encode, and the comparison with a whole decode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/rng.h"
#include "penstock/base/text.h"

namespace penstock::decode {

using Encoded = std::vector<std::byte>;

struct Pixels {
  int width = 0;
  int height = 0;
  int channels = 0;
  std::vector<std::uint8_t> values;

  ImageView view() const {
    return {values.data(), width, height, channels, static_cast<std::size_t>(width * channels)};
  }
};

// Edges, gradients and noise, so that every pixel depends on its neighbours' samples.
inline Pixels busy_image(ImageSize size, int channels) {
  Rng rng({.seed = 3, .sample = static_cast<std::uint64_t>(size.width * 1000 + size.height)});
  Pixels image{size.width, size.height, channels, {}};
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const int edge = (x / 5 + y / 3 + c) % 2 == 0 ? 90 : 0;
        const int gradient = (x * (c + 1) + y * (3 - c)) % 100;
        image.values.push_back(static_cast<std::uint8_t>(edge + gradient + rng.below(60)));
      }
    }
  }
  return image;
}

inline Rect whole(const Pixels& image) { return {0, 0, image.width, image.height}; }

inline Rect random_region(ImageSize size, Rng& rng) {
  Rect region;
  region.x = static_cast<int>(rng.below(static_cast<unsigned>(size.width)));
  region.y = static_cast<int>(rng.below(static_cast<unsigned>(size.height)));
  region.width = 1 + static_cast<int>(rng.below(static_cast<unsigned>(size.width - region.x)));
  region.height = 1 + static_cast<int>(rng.below(static_cast<unsigned>(size.height - region.y)));
  return region;
}

// "" if `part` covers `region` with the pixels that `expected`, a part with the whole image, has
// there. Pixels beyond the region need not be exact.
inline std::string part_difference(const ImagePart& part, const Rect& region,
                                   const ImagePart& expected) {
  const int shrink = part.shrink;
  if (shrink != expected.shrink) return concat("shrink is ", shrink);
  // Where the parts lie against each other, and the region in `part`, in delivered pixels.
  const int dx = (part.origin_x - expected.origin_x) / shrink;
  const int dy = (part.origin_y - expected.origin_y) / shrink;
  const int left = (region.x - part.origin_x) / shrink;
  const int top = (region.y - part.origin_y) / shrink;
  const int right = (region.x + region.width - part.origin_x + shrink - 1) / shrink;
  const int bottom = (region.y + region.height - part.origin_y + shrink - 1) / shrink;
  if (region.x < part.origin_x || region.y < part.origin_y || right > part.pixels.width ||
      bottom > part.pixels.height) {
    return "region not covered";
  }
  const int channels = expected.pixels.channels;
  for (int y = top; y < bottom; ++y) {
    for (int i = left * channels; i < right * channels; ++i) {
      const int got = part.pixels.row(y)[i];
      const int want = expected.pixels.row(y + dy)[i + dx * channels];
      if (got != want) {
        return concat("byte ", i, " of row ", y, " is ", got, ", expected ", want);
      }
    }
  }
  return "";
}

// The same for an image that is not turned.
inline std::string difference(const ImagePart& part, const Rect& region, const Pixels& expected) {
  return part_difference(part, region, {expected.view(), {}, 0, 0, part.shrink});
}

// The pixels of `region`, row by row, of a part at shrink 1 that covers it.
inline std::vector<std::uint8_t> copied_region(const ImagePart& part, const Rect& region) {
  std::vector<std::uint8_t> values;
  for (int y = 0; y < region.height; ++y) {
    const std::uint8_t* row = part.pixels.row(region.y - part.origin_y + y) +
                              (region.x - part.origin_x) * part.pixels.channels;
    values.insert(values.end(), row, row + region.width * part.pixels.channels);
  }
  return values;
}

}  // namespace penstock::decode
