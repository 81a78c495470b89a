// From samples as a PNG stores them to 8-bit gray or RGB.
#include "penstock/decode/png/expand.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "penstock/decode/pixel_convert.h"

namespace penstock::decode {

PngExpander::PngExpander(const PngFormat& format, Bytes palette, int channels)
    : expand_row_(choose(format, channels)),
      room_channels_(format.num_samples() >= 3 ? 3 : channels) {
  if (format.pixel_bits() <= 8) fill_table(format, palette, channels);
}

void PngExpander::expand(const std::uint8_t* row, int begin, int end, std::uint8_t* out) const {
  expand_row_(*this, row, begin, end, out);
}

void PngExpander::fill_table(const PngFormat& format, Bytes palette, int channels) {
  const std::size_t num_values = std::size_t{1} << format.depth;
  if (format.colour == PngColour::kGray) {
    for (std::size_t i = 0; i < num_values; ++i) {
      const auto gray = static_cast<std::uint8_t>(i * 255 / (num_values - 1));
      table_[i] = {{gray, gray, gray}};
    }
    return;
  }
  const std::size_t num_colours = std::min(palette.size() / 3, num_values);
  for (std::size_t i = 0; i < num_colours; ++i) {
    std::memcpy(table_[i].rgb, palette.data() + 3 * i, 3);
    if (channels == 1) convert_rgb_to_gray(table_[i].rgb, 1, table_[i].rgb);
  }
}

// Gray or RGB, possibly with alpha, of 8 or 16 bits. The high byte of a sample comes first.
template <int kSamples, int kSampleBytes, int kChannels>
void PngExpander::expand_samples(const PngExpander&, const std::uint8_t* row, int begin, int end,
                                 std::uint8_t* out) {
  constexpr int kColours = kSamples < 3 ? 1 : 3;
  // RGB is made gray behind the loop, in place.
  constexpr int kWritten = kColours == 3 ? 3 : kChannels;
  const std::uint8_t* in = row + static_cast<std::size_t>(begin) * kSamples * kSampleBytes;
  const auto width = static_cast<std::size_t>(end - begin);
  if constexpr (kSamples * kSampleBytes == kWritten) {
    std::memcpy(out, in, width * kWritten);
  } else {
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t c = 0; c < kWritten; ++c) {
        out[x * kWritten + c] =
            in[(x * kSamples + (kColours == 3 ? c : 0)) * static_cast<std::size_t>(kSampleBytes)];
      }
    }
  }
  if constexpr (kWritten != kChannels) convert_rgb_to_gray(out, end - begin, out);
}

// Gray or palette of at most 8 bits; the leftmost pixel of a byte is in its high bits.
template <int kDepth, int kChannels>
void PngExpander::expand_values(const PngExpander& self, const std::uint8_t* row, int begin,
                                int end, std::uint8_t* out) {
  constexpr int kPerByte = 8 / kDepth;
  for (int x = begin; x < end; ++x, out += kChannels) {
    const int shift = (kPerByte - 1 - x % kPerByte) * kDepth;
    const int value = row[x / kPerByte] >> shift & ((1 << kDepth) - 1);
    const Colour& colour = self.table_[static_cast<std::size_t>(value)];
    for (int c = 0; c < kChannels; ++c) out[c] = colour.rgb[c];
  }
}

template <int kSamples, int kSampleBytes>
PngExpander::ExpandRow PngExpander::choose_samples(int channels) {
  return channels == 1 ? &expand_samples<kSamples, kSampleBytes, 1>
                       : &expand_samples<kSamples, kSampleBytes, 3>;
}

template <int kDepth>
PngExpander::ExpandRow PngExpander::choose_values(int channels) {
  return channels == 1 ? &expand_values<kDepth, 1> : &expand_values<kDepth, 3>;
}

PngExpander::ExpandRow PngExpander::choose(const PngFormat& format, int channels) {
  const bool is_wide = format.depth == 16;
  switch (format.colour) {
    case PngColour::kRgb:
      return is_wide ? choose_samples<3, 2>(channels) : choose_samples<3, 1>(channels);
    case PngColour::kRgba:
      return is_wide ? choose_samples<4, 2>(channels) : choose_samples<4, 1>(channels);
    case PngColour::kGrayAlpha:
      return is_wide ? choose_samples<2, 2>(channels) : choose_samples<2, 1>(channels);
    case PngColour::kGray:
      if (is_wide) return choose_samples<1, 2>(channels);
      if (format.depth == 8) return choose_samples<1, 1>(channels);
      break;
    case PngColour::kPalette:
      break;
  }
  switch (format.depth) {
    case 1:
      return choose_values<1>(channels);
    case 2:
      return choose_values<2>(channels);
    case 4:
      return choose_values<4>(channels);
    default:
      return choose_values<8>(channels);
  }
}

}  // namespace penstock::decode
