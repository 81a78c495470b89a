// Conversions of rows of pixels that the codec libraries leave to us.
#include "penstock/decode/pixel_convert.h"

namespace penstock::decode {
namespace {

// a * b / 255, rounded.
unsigned scaled(unsigned a, unsigned b) {
  const unsigned product = a * b + 128;
  return ((product >> 8) + product) >> 8;
}

// Weights of 16 bits that sum to 1, so that gray stays what it is.
std::uint8_t luma(unsigned red, unsigned green, unsigned blue) {
  return static_cast<std::uint8_t>((red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16);
}

}  // namespace

void convert_inverted_cmyk(const std::uint8_t* cmyk, int width, int channels, std::uint8_t* out) {
  for (int x = 0; x < width; ++x, cmyk += 4, out += channels) {
    const unsigned light = cmyk[3];
    unsigned rgb[3];
    for (int i = 0; i < 3; ++i) rgb[i] = light - scaled(255u - cmyk[i], light);
    if (channels == 1) {
      out[0] = luma(rgb[0], rgb[1], rgb[2]);
    } else {
      for (int i = 0; i < 3; ++i) out[i] = static_cast<std::uint8_t>(rgb[i]);
    }
  }
}

void convert_rgb_to_gray(const std::uint8_t* rgb, int width, std::uint8_t* gray) {
  for (int x = 0; x < width; ++x) gray[x] = luma(rgb[3 * x], rgb[3 * x + 1], rgb[3 * x + 2]);
}

ImageView in_channels(const MutableImage& rgb, int channels) {
  ImageView view = rgb.view();
  if (channels == 3) return view;
  for (int y = 0; y < rgb.height; ++y) convert_rgb_to_gray(rgb.row(y), rgb.width, rgb.row(y));
  view.channels = 1;
  return view;
}

}  // namespace penstock::decode
