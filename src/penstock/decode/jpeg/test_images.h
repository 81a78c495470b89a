// For benchmarks: the files that they decode.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "penstock/base/rng.h"
#include "penstock/decode/jpeg/encode.h"
#include "penstock/decode/jpeg/frame.h"

namespace penstock::decode {

using Encoded = std::vector<std::byte>;

inline Encoded made_up_photograph() {
  constexpr int kWidth = 500, kHeight = 375;
  std::vector<std::uint8_t> pixels;
  Rng rng({.seed = 1});
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (int c = 0; c < 3; ++c) {
        const double wave = 50 * std::sin(x * 0.05 + c) + 40 * std::cos(y * 0.07 - c);
        pixels.push_back(static_cast<std::uint8_t>(110 + wave + rng.below(25)));
      }
    }
  }
  const ImageView view{pixels.data(), kWidth, kHeight, 3, kWidth * 3};
  return encode_jpeg(view, {.quality = 95, .sampling = ChromaSampling::k444}).value();
}

// Those of the folder that PENSTOCK_BENCH_IMAGES names which our own decoder takes, or one made-up
// photograph.
inline const std::vector<Encoded>& bench_images() {
  static const std::vector<Encoded> loaded = [] {
    std::vector<Encoded> images;
    if (const char* folder = std::getenv("PENSTOCK_BENCH_IMAGES")) {
      for (const auto& found : std::filesystem::recursive_directory_iterator(folder)) {
        if (!found.is_regular_file()) continue;
        std::ifstream file(found.path(), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(file), {});
        const auto* begin = reinterpret_cast<const std::byte*>(text.data());
        Encoded bytes(begin, begin + text.size());
        if (read_frame(bytes)) images.push_back(std::move(bytes));
      }
    }
    if (images.empty()) images.push_back(made_up_photograph());
    return images;
  }();
  return loaded;
}

// A box as RandomResizedCrop draws it: 8 % to 100 % of the area, 3:4 to 4:3.
inline Rect random_crop(ImageSize size, Rng& rng) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = size.width * static_cast<double>(size.height) * rng.uniform(0.08, 1.0);
    const double ratio = std::exp(rng.uniform(std::log(3.0 / 4), std::log(4.0 / 3)));
    const int width = static_cast<int>(std::lround(std::sqrt(area * ratio)));
    const int height = static_cast<int>(std::lround(std::sqrt(area / ratio)));
    if (width < 1 || height < 1 || width > size.width || height > size.height) continue;
    return {static_cast<int>(rng.below(static_cast<unsigned>(size.width - width + 1))),
            static_cast<int>(rng.below(static_cast<unsigned>(size.height - height + 1))), width,
            height};
  }
  const int side = std::min(size.width, size.height);
  return {(size.width - side) / 2, (size.height - side) / 2, side, side};
}

}  // namespace penstock::decode
