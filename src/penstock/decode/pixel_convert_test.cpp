#include "penstock/decode/pixel_convert.h"

#include <gtest/gtest.h>

#include <array>

namespace penstock::decode {
namespace {

// Expected values are Pillow's.
TEST(PixelConvertTest, InvertedCmykIsScaledByBlack) {
  const std::array<std::uint8_t, 12> cmyk = {255, 255, 255, 255, 200, 100, 50, 128, 255, 7, 9, 0};
  std::array<std::uint8_t, 9> rgb{};
  convert_inverted_cmyk(cmyk.data(), 3, 3, rgb.data());
  EXPECT_EQ(rgb, (std::array<std::uint8_t, 9>{255, 255, 255, 100, 50, 25, 0, 0, 0}));
}

TEST(PixelConvertTest, LumaIsWeighted) {
  const std::array<std::uint8_t, 12> rgb = {255, 0, 0, 0, 255, 0, 0, 0, 255, 77, 77, 77};
  std::array<std::uint8_t, 4> gray{};
  convert_rgb_to_gray(rgb.data(), 4, gray.data());
  EXPECT_EQ(gray, (std::array<std::uint8_t, 4>{76, 150, 29, 77}));
}

TEST(PixelConvertTest, AnImageIsMadeGrayRowByRow) {
  std::array<std::uint8_t, 8> rgb = {255, 0, 0, 9, 0, 0, 255, 9};  // one byte between rows
  const MutableImage image{rgb.data(), 1, 2, 3, 4};
  EXPECT_EQ(in_channels(image, 3).channels, 3);
  const ImageView gray = in_channels(image, 1);
  EXPECT_EQ(gray.channels, 1);
  EXPECT_EQ(gray.row(0)[0], 76);
  EXPECT_EQ(gray.row(1)[0], 29);
}

}  // namespace
}  // namespace penstock::decode
