// Converts the pixels of a BMP file that a crop needs.
#include "penstock/decode/bmp/decode.h"

#include <algorithm>

#include "penstock/decode/bmp/header.h"
#include "penstock/decode/bmp/rle.h"
#include "penstock/decode/pixel_convert.h"
#include "penstock/decode/scratch.h"

namespace penstock::decode {
namespace {

std::uint8_t byte_at(Bytes bytes, std::size_t i) { return std::to_integer<std::uint8_t>(bytes[i]); }

// The stored bytes of a row that is not run-length encoded.
Bytes stored_row(const BmpLayout& layout, int y) {
  const int stored = layout.is_top_down ? y : layout.size.height - 1 - y;
  return layout.pixels.subspan(static_cast<std::size_t>(stored) * layout.stride, layout.row_bytes);
}

// Pixels [begin, begin + width) of a row of 1, 4 or 8 bits each, as one byte each.
void unpack_indices(const BmpLayout& layout, Bytes row, int begin, int width, std::uint8_t* out) {
  const int bits = layout.bits;
  const int mask = (1 << bits) - 1;
  for (int i = 0; i < width; ++i) {
    const std::size_t bit = static_cast<std::size_t>(begin + i) * static_cast<std::size_t>(bits);
    const int shift = 8 - bits - static_cast<int>(bit % 8);
    out[i] = static_cast<std::uint8_t>(byte_at(row, bit / 8) >> shift & mask);
  }
}

Status look_up(const BmpLayout& layout, const std::uint8_t* indices, int width, std::uint8_t* rgb) {
  for (int i = 0; i < width; ++i, rgb += 3) {
    const std::size_t index = indices[i];
    if (index >= layout.num_colours()) {
      return corrupt("pixel has colour ", index, ", expected less than ", layout.num_colours());
    }
    const Bytes entry = layout.palette.subspan(index * layout.entry_bytes, 3);
    for (std::size_t c = 0; c < 3; ++c) rgb[c] = byte_at(entry, 2 - c);
  }
  return {};
}

// Rounds down, as Pillow does.
std::uint8_t scaled(std::uint32_t pixel, const BmpChannel& channel) {
  const std::uint64_t value = pixel >> channel.shift & channel.max;
  return static_cast<std::uint8_t>(value * 255 / channel.max);
}

// Whether each channel is one byte of a pixel, as it nearly always is.
bool has_byte_channels(const BmpLayout& layout) {
  return std::ranges::all_of(layout.channels, [&](const BmpChannel& channel) {
    return channel.max == 255 && channel.shift % 8 == 0 && channel.shift < layout.bits;
  });
}

// Pixels of 16, 24 or 32 bits each.
void convert_row(const BmpLayout& layout, Bytes row, int begin, int width, std::uint8_t* rgb) {
  const auto pixel_bytes = static_cast<std::size_t>(layout.bits / 8);
  Bytes pixels = row.subspan(static_cast<std::size_t>(begin) * pixel_bytes);
  if (has_byte_channels(layout)) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t byte = static_cast<std::size_t>(layout.channels[c].shift / 8);
      for (std::size_t i = 0; i < static_cast<std::size_t>(width); ++i) {
        rgb[3 * i + c] = byte_at(pixels, i * pixel_bytes + byte);
      }
    }
    return;
  }
  for (int i = 0; i < width; ++i, rgb += 3) {
    std::uint32_t pixel = 0;
    for (std::size_t b = 0; b < pixel_bytes; ++b) {
      pixel |= std::uint32_t{byte_at(pixels, b)} << (8 * b);
    }
    for (std::size_t c = 0; c < 3; ++c) rgb[c] = scaled(pixel, layout.channels[c]);
    pixels = pixels.subspan(pixel_bytes);
  }
}

// Fills `pixels` with the colours of `region`. `indices` is of the same size, one byte a pixel; of
// an image that is not run-length encoded it is one row.
Status convert_region(const BmpLayout& layout, const Rect& region, const MutableImage& indices,
                      const MutableImage& pixels) {
  if (layout.is_rle) PENSTOCK_TRY(decode_bmp_rle(layout, region, indices));
  for (int y = 0; y < region.height; ++y) {
    if (layout.bits > 8) {
      convert_row(layout, stored_row(layout, region.y + y), region.x, region.width, pixels.row(y));
      continue;
    }
    std::uint8_t* row = indices.row(layout.is_rle ? y : 0);
    if (!layout.is_rle) {
      unpack_indices(layout, stored_row(layout, region.y + y), region.x, region.width, row);
    }
    PENSTOCK_TRY(look_up(layout, row, region.width, pixels.row(y)));
  }
  return {};
}

}  // namespace

std::size_t bmp_memory_bytes(const ImageHeader&, const ImageRequest& request, int) {
  // Colours, and palette indices of run-length encoded images.
  return static_cast<std::size_t>(request.region.width) *
         static_cast<std::size_t>(request.region.height) * 4;
}

Result<ImagePart> decode_bmp(const EncodedImage& image, const ImageRequest& request,
                             const DecodeOptions& options, DecodeScratch& scratch) {
  PENSTOCK_TRY_ASSIGN(const BmpLayout layout, read_bmp_layout(image.bytes));
  PENSTOCK_TRY(check_request(request, layout.size, options.channels));
  const Rect& region = request.region;
  const MutableImage pixels = scratch.state().pixels.prepare({region.width, region.height}, 3);
  const MutableImage indices =
      scratch.state().line.prepare({region.width, layout.is_rle ? region.height : 1}, 1);
  PENSTOCK_TRY(convert_region(layout, region, indices, pixels));

  return make_part(in_channels(pixels, options.channels), layout.size, region.x, region.y);
}

}  // namespace penstock::decode
