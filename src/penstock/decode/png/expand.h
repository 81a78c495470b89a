// From samples as a PNG stores them to 8-bit gray or RGB.
#pragma once

#include <array>
#include <cstdint>

#include "penstock/base/array.h"
#include "penstock/decode/png/chunks.h"

namespace penstock::decode {

// How the rows of one image become pixels. Of 16 bits the high ones are taken, fewer than 8 are
// spread over 0 to 255, palettes looked up (colours that they lack are black), transparency is
// dropped and gamma left alone.
class PngExpander {
 public:
  // `channels` is 1 or 3; `palette` has three bytes a colour and may be gone after this.
  PngExpander(const PngFormat& format, Bytes palette, int channels);

  // How many bytes a pixel expand() needs room for: `channels`, or 3 to make gray of colour.
  int room_channels() const { return room_channels_; }

  // Pixels [begin, end) of an unfiltered row.
  void expand(const std::uint8_t* row, int begin, int end, std::uint8_t* out) const;

 private:
  struct Colour {
    std::uint8_t rgb[3];
  };
  using ExpandRow = void (*)(const PngExpander& self, const std::uint8_t* row, int begin, int end,
                             std::uint8_t* out);

  template <int kSamples, int kSampleBytes, int kChannels>
  static void expand_samples(const PngExpander& self, const std::uint8_t* row, int begin, int end,
                             std::uint8_t* out);
  template <int kDepth, int kChannels>
  static void expand_values(const PngExpander& self, const std::uint8_t* row, int begin, int end,
                            std::uint8_t* out);
  template <int kSamples, int kSampleBytes>
  static ExpandRow choose_samples(int channels);
  template <int kDepth>
  static ExpandRow choose_values(int channels);
  static ExpandRow choose(const PngFormat& format, int channels);

  void fill_table(const PngFormat& format, Bytes palette, int channels);

  ExpandRow expand_row_;
  int room_channels_;
  // What a value of at most 8 bits stands for. In gray, the first byte.
  std::array<Colour, 256> table_{};
};

}  // namespace penstock::decode
