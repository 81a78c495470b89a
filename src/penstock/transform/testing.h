// Small images and ops written as text, for tests.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <span>
#include <string_view>
#include <vector>

#include "penstock/transform/catalog.h"
#include "penstock/transform/chain.h"
#include "penstock/transform/render.h"

namespace penstock::transform {

struct TestImage {
  int width = 0;
  int height = 0;
  int channels = 1;
  std::vector<std::uint8_t> pixels;

  ImageSize size() const { return {width, height}; }
  ImageView view() const {
    const std::size_t stride = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
    return {pixels.data(), width, height, channels, stride};
  }
  friend bool operator==(const TestImage&, const TestImage&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const TestImage& image) {
  out << image.width << "x" << image.height << "x" << image.channels;
  const std::size_t row = image.view().stride;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    out << (i % row == 0 ? "\n" : " ") << int{image.pixels[i]};
  }
  return out;
}

// A gray image, row by row.
inline TestImage image(std::initializer_list<std::initializer_list<int>> rows) {
  TestImage made{.width = static_cast<int>(rows.begin()->size()),
                 .height = static_cast<int>(rows.size())};
  for (const auto& row : rows) made.pixels.insert(made.pixels.end(), row.begin(), row.end());
  return made;
}

// One row of RGB pixels.
inline TestImage rgb(std::initializer_list<std::array<int, 3>> pixels) {
  TestImage made{.width = static_cast<int>(pixels.size()), .height = 1, .channels = 3};
  for (const auto& pixel : pixels) {
    for (const int value : pixel) made.pixels.push_back(static_cast<std::uint8_t>(value));
  }
  return made;
}

// An image that never repeats within a few thousand pixels and has all values.
inline TestImage noise(ImageSize size, int channels, std::uint64_t seed = 0) {
  TestImage made{.width = size.width, .height = size.height, .channels = channels};
  Rng rng({.seed = seed, .sample = 77});
  made.pixels.resize(made.view().stride * static_cast<std::size_t>(size.height));
  for (auto& value : made.pixels) value = static_cast<std::uint8_t>(rng.below(256));
  return made;
}

inline Result<std::shared_ptr<const Op>> bind(std::string_view text) {
  PENSTOCK_TRY_ASSIGN(const OptionText parsed, parse_option_text(text));
  return bind_op(parsed);
}

inline Result<Chain> chain(std::initializer_list<std::string_view> texts) {
  std::vector<OptionText> parsed;
  for (const std::string_view text : texts) {
    PENSTOCK_TRY_ASSIGN(parsed.emplace_back(), parse_option_text(text));
  }
  return make_chain(parsed);
}

inline std::size_t output_bytes(ImageSize size, const PixelFormat& format) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
         static_cast<std::size_t>(format.channels) * size_bytes(format.dtype);
}

inline TestImage render_u8(const TestImage& in, const ImageDraw& drawn) {
  const ImageSize size = drawn.geometry.output_size();
  const PixelFormat format{DType::kU8, Layout::kHWC, in.channels};
  TestImage out{.width = size.width, .height = size.height, .channels = in.channels};
  out.pixels.resize(output_bytes(size, format));
  RenderScratch scratch;
  render({.pixels = in.view(), .full_size = in.size()}, drawn.geometry, drawn.colour, format,
         scratch, std::as_writable_bytes(std::span(out.pixels)));
  return out;
}

// What one op makes of an image; an empty one if it fails.
inline TestImage apply(std::string_view text, const TestImage& in, const RngKey& key = {}) {
  const Result<Chain> made = chain({text});
  EXPECT_TRUE(made.ok()) << made.status().message();
  if (!made.ok()) return {};
  const Result<ImageDraw> drawn = made->draw(in.size(), key);
  EXPECT_TRUE(drawn.ok()) << drawn.status().message();
  return drawn.ok() ? render_u8(in, *drawn) : TestImage{};
}

}  // namespace penstock::transform
