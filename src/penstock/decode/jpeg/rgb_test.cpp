#include "penstock/decode/jpeg/rgb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "penstock/decode/jpeg/test_reference.h"
#include "penstock/decode/request.h"

namespace penstock::decode {
namespace {

// A plane that may be overwritten and read as far as convert_to_rgb says.
struct Plane {
  Plane(const Pixels& samples, ImageSize full_size)
      : stride(static_cast<std::size_t>(samples.width) + 2 * kSampleSlack),
        memory(stride * static_cast<std::size_t>(samples.height), 0x5a),
        view{memory.data() + kSampleSlack, stride, 0, 0, full_size} {
    for (int y = 0; y < samples.height; ++y) {
      std::copy_n(samples.view().row(y), samples.width, view.at(0, y));
    }
  }

  std::size_t stride;
  std::vector<std::uint8_t> memory;
  SamplePlane view;
};

Pixels converted(const std::vector<Pixels>& planes, ImageSize size, int columns, int rows,
                 const Rect& region) {
  const ImageSize chroma{(size.width + columns - 1) / columns, (size.height + rows - 1) / rows};
  const std::array copies = {Plane(planes[0], size), Plane(planes[1], chroma),
                             Plane(planes[2], chroma)};
  const YccImage image{{copies[0].view, copies[1].view, copies[2].view}, columns, rows};
  PixelBuffer lines, memory;
  const MutableImage out = memory.prepare({region.width, region.height}, 3);
  convert_to_rgb(image, region, lines, out);
  Pixels pixels{region.width, region.height, 3, {}};
  for (int y = 0; y < region.height; ++y) {
    pixels.values.insert(pixels.values.end(), out.row(y), out.row(y) + 3 * region.width);
  }
  return pixels;
}

// --- Colours. ---

// jdcolor.c, with its constants of 16 bits.
std::array<int, 3> expected_rgb(int luma, int blue, int red) {
  const int cb = blue - 128, cr = red - 128;
  const auto clamped = [](int value) { return std::clamp(value, 0, 255); };
  return {clamped(luma + ((91881 * cr + 32768) >> 16)),
          clamped(luma + ((-22554 * cb - 46802 * cr + 32768) >> 16)),
          clamped(luma + ((116130 * cb + 32768) >> 16))};
}

TEST(RgbTest, EveryPairOfChromaGivesTheColourOfTheFormula) {
  const ImageSize size{256, 256};
  std::vector<Pixels> planes(3, Pixels{256, 256, 1, std::vector<std::uint8_t>(65536)});
  for (std::size_t i = 0; i < 65536; ++i) {
    planes[1].values[i] = static_cast<std::uint8_t>(i % 256);
    planes[2].values[i] = static_cast<std::uint8_t>(i / 256);
  }
  for (const int luma : {0, 1, 77, 128, 179, 254, 255}) {
    std::ranges::fill(planes[0].values, static_cast<std::uint8_t>(luma));
    for_each_instruction_set([&] {
      const Pixels out = converted(planes, size, 1, 1, {0, 0, 256, 256});
      int num_wrong = 0;
      for (int i = 0; i < 65536; ++i) {
        const auto expected = expected_rgb(luma, i % 256, i / 256);
        const std::uint8_t* pixel = out.values.data() + 3 * i;
        num_wrong += !std::equal(expected.begin(), expected.end(), pixel);
      }
      EXPECT_EQ(num_wrong, 0) << luma;
    });
  }
}

TEST(RgbTest, GrayStaysGray) {
  for_each_instruction_set([] {
    std::vector<Pixels> planes(3, Pixels{4, 1, 1, {128, 128, 128, 128}});
    planes[0].values = {0, 10, 128, 255};
    EXPECT_EQ(converted(planes, {4, 1}, 1, 1, {0, 0, 4, 1}).values,
              (std::vector<std::uint8_t>{0, 0, 0, 10, 10, 10, 128, 128, 128, 255, 255, 255}));
  });
}

// --- Upsampling, against libjpeg-turbo. ---

class UpsamplingTest : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(UpsamplingTest, GivesThePixelsOfLibjpegTurboAtAnyWidth) {
  const auto [columns, rows] = GetParam();
  for (int width = 1; width <= 40; ++width) {
    const ImageSize size{width, 1 + width * 7 % 37};
    const Encoded bytes = encode_reference(busy_image(size, 3), {.columns = columns, .rows = rows});
    const auto planes = reference_planes(bytes);
    const Pixels expected = reference_pixels(bytes, JCS_RGB);
    for_each_instruction_set([&] {
      EXPECT_EQ(converted(planes, size, columns, rows, whole(expected)).values, expected.values)
          << size.width << "x" << size.height;
    });
  }
}

TEST_P(UpsamplingTest, GivesThePixelsOfAnyRegion) {
  const auto [columns, rows] = GetParam();
  const ImageSize size{75, 43};
  const Encoded bytes = encode_reference(busy_image(size, 3), {.columns = columns, .rows = rows});
  const auto planes = reference_planes(bytes);
  const Pixels expected = reference_pixels(bytes, JCS_RGB);
  for_each_instruction_set([&] {
    Rng rng({.seed = 8});
    for (int i = 0; i < 60; ++i) {
      const Rect region = random_region(size, rng);
      const Pixels part = converted(planes, size, columns, rows, region);
      EXPECT_EQ(difference(make_part(part.view(), size, region.x, region.y), region, expected), "");
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Samplings, UpsamplingTest,
                         testing::Values(std::pair(1, 1), std::pair(2, 1), std::pair(2, 2),
                                         std::pair(1, 2), std::pair(4, 1)));

// Each sample is 3/4 of the near one and 1/4 of the far one.
TEST(RgbTest, ChromaIsInterpolatedBetweenNeighbours) {
  std::vector<Pixels> planes = {{6, 1, 1, std::vector<std::uint8_t>(6, 100)},
                                {3, 1, 1, {128, 128, 128}},
                                {3, 1, 1, {128, 168, 128}}};
  for_each_instruction_set([&] {
    const Pixels out = converted(planes, {6, 1}, 2, 1, {0, 0, 6, 1});
    // Red differs by 0, 10, 30, 30, 10, 0: times 1.402.
    std::vector<int> red;
    for (std::size_t i = 0; i < 6; ++i) red.push_back(out.values[3 * i]);
    EXPECT_EQ(red, (std::vector<int>{100, 114, 142, 142, 114, 100}));
  });
}

}  // namespace
}  // namespace penstock::decode
