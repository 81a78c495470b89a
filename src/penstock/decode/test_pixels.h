// What the tests of the codecs share: images to encode, and the comparison with a whole decode.
#pragma once

#include <cmath>
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

// The pixels of `part` that pixels of `region` lie in, if only in part.
inline Rect pixels_of(const ImagePart& part, const Rect& region) {
  const double zoom = part.eighths / 8.0;
  const auto low = [&](int place, double origin) {
    return static_cast<int>(std::floor(place * zoom - origin));
  };
  const auto high = [&](int place, double origin) {
    return static_cast<int>(std::ceil(place * zoom - origin));
  };
  const int left = low(region.x, part.origin_x), top = low(region.y, part.origin_y);
  return {left, top, high(region.x + region.width, part.origin_x) - left,
          high(region.y + region.height, part.origin_y) - top};
}

// "" if `part` covers `region` with the pixels that `expected`, a part with the whole image, has
// there. Pixels beyond the region need not be exact.
inline std::string part_difference(const ImagePart& part, const Rect& region,
                                   const ImagePart& expected) {
  if (part.eighths != expected.eighths) return concat("eighths is ", part.eighths);
  // Where the parts lie against each other.
  const double dx = part.origin_x - expected.origin_x, dy = part.origin_y - expected.origin_y;
  if (dx != std::floor(dx) || dy != std::floor(dy))
    return concat("origins differ by ", dx, ",", dy);
  const Rect found = pixels_of(part, region);
  const int right = found.x + found.width, bottom = found.y + found.height;
  if (found.x < 0 || found.y < 0 || right > part.pixels.width || bottom > part.pixels.height) {
    return "region not covered";
  }
  const int channels = expected.pixels.channels;
  for (int y = found.y; y < bottom; ++y) {
    const std::uint8_t* wanted = expected.pixels.row(y + static_cast<int>(dy));
    for (int i = found.x * channels; i < right * channels; ++i) {
      const int got = part.pixels.row(y)[i];
      const int want = wanted[i + static_cast<int>(dx) * channels];
      if (got != want) {
        return concat("byte ", i, " of row ", y, " is ", got, ", expected ", want);
      }
    }
  }
  return "";
}

// The same for an image that is not turned.
inline std::string difference(const ImagePart& part, const Rect& region, const Pixels& expected) {
  return part_difference(part, region, {expected.view(), {}, 0, 0, part.eighths});
}

// The pixels of `part` that stand for `region`, row by row.
inline std::vector<std::uint8_t> copied_region(const ImagePart& part, const Rect& region) {
  const Rect found = pixels_of(part, region);
  std::vector<std::uint8_t> values;
  for (int y = found.y; y < found.y + found.height; ++y) {
    const std::uint8_t* row = part.pixels.row(y) + found.x * part.pixels.channels;
    values.insert(values.end(), row, row + found.width * part.pixels.channels);
  }
  return values;
}

}  // namespace penstock::decode
