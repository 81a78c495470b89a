// Puts the first frame of a GIF file on its canvas.
#include "penstock/decode/gif/decode.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "penstock/decode/gif/frame.h"
#include "penstock/decode/pixel_convert.h"
#include "penstock/decode/scratch.h"

namespace penstock::decode {
namespace {

// giflib's tables and our own.
constexpr std::size_t kTablesBytes = 32 << 10;

// The colours of all indices that a file may use.
struct Palette {
  std::array<std::array<std::uint8_t, 3>, 256> colours;
  int num_colours = 256;
};

// Without a palette an index is a shade of gray.
Palette make_palette(const ColorMapObject* map) {
  Palette palette;
  for (std::size_t i = 0; i < 256; ++i) palette.colours[i].fill(static_cast<std::uint8_t>(i));
  if (map == nullptr) return palette;
  palette.num_colours = std::min(map->ColorCount, 256);
  for (int i = 0; i < palette.num_colours; ++i) {
    const GifColorType& colour = map->Colors[i];
    palette.colours[static_cast<std::size_t>(i)] = {colour.Red, colour.Green, colour.Blue};
  }
  return palette;
}

Status look_up(const Palette& palette, const std::uint8_t* indices, int width, std::uint8_t* rgb) {
  for (int x = 0; x < width; ++x) {
    if (indices[x] >= palette.num_colours) {
      return corrupt("pixel has colour ", int{indices[x]}, ", expected less than ",
                     palette.num_colours);
    }
    std::memcpy(rgb + 3 * x, palette.colours[indices[x]].data(), 3);
  }
  return {};
}

// The rows of a frame in the order in which they are stored.
class RowOrder {
 public:
  RowOrder(int height, bool is_interlaced) : height_(height), pass_(is_interlaced ? 0 : 4) {}

  int row() const { return row_; }

  // To the next row; false after the last one.
  bool advance() {
    row_ += kSteps[pass_];
    while (row_ >= height_ && pass_ < 3) row_ = kStarts[++pass_];
    return row_ < height_;
  }

 private:
  // Four interlaced passes, and the only one of other images.
  static constexpr std::array<int, 5> kStarts = {0, 4, 2, 1, 0};
  static constexpr std::array<int, 5> kSteps = {8, 8, 4, 2, 1};

  int height_;
  std::size_t pass_;
  int row_ = 0;
};

// Fills `pixels` with what is seen where the frame does not reach, if that is a part of `region`.
Status fill_outside(const GifFrame& frame, const Palette& palette, const Rect& region,
                    std::uint8_t* line, const MutableImage& pixels) {
  const Rect place = frame.place();
  const bool is_inside = region.x >= place.x && region.x + region.width <= place.x + place.width &&
                         region.y >= place.y && region.y + region.height <= place.y + place.height;
  if (is_inside) return {};
  std::memset(line, frame.outer_index(), static_cast<std::size_t>(region.width));
  for (int y = 0; y < region.height; ++y) {
    PENSTOCK_TRY(look_up(palette, line, region.width, pixels.row(y)));
  }
  return {};
}

// Overlays `pixels`, which are those of `region`, with the frame.
Status read_frame(GifFrame& frame, const Palette& palette, const Rect& region, std::uint8_t* line,
                  const MutableImage& pixels) {
  const Rect place = frame.place();
  const int left = std::max(region.x, place.x);
  const int right = std::min(region.x + region.width, place.x + place.width);
  const int bottom = region.y + region.height;
  if (left >= right) return {};
  RowOrder order(place.height, frame.is_interlaced());
  do {
    const int y = place.y + order.row();
    if (y >= bottom && !frame.is_interlaced()) break;
    PENSTOCK_TRY(frame.read_row(line));
    if (y < region.y || y >= bottom) continue;
    PENSTOCK_TRY(look_up(palette, line + (left - place.x), right - left,
                         pixels.row(y - region.y) + 3 * (left - region.x)));
  } while (order.advance());
  return {};
}

}  // namespace

std::size_t gif_memory_bytes(const ImageHeader& header, const ImageRequest& request, int) {
  return static_cast<std::size_t>(request.region.width) *
             static_cast<std::size_t>(request.region.height) * 3 +
         static_cast<std::size_t>(header.size.width) + kTablesBytes;
}

Result<ImagePart> decode_gif(const EncodedImage& image, const ImageRequest& request,
                             const DecodeOptions& options, DecodeScratch& scratch) {
  PENSTOCK_TRY_ASSIGN(GifFrame frame, GifFrame::open(image.bytes));
  PENSTOCK_TRY(check_image_size(frame.canvas(), 3));
  PENSTOCK_TRY(check_request(request, frame.canvas(), options.channels));
  const Rect& region = request.region;

  const Palette palette = make_palette(frame.palette());
  const MutableImage pixels = scratch.state().pixels.prepare({region.width, region.height}, 3);
  // A row of the frame, or of what is outside it.
  std::uint8_t* line = scratch.state().line.prepare({frame.canvas().width, 1}, 1).data;
  PENSTOCK_TRY(fill_outside(frame, palette, region, line, pixels));
  PENSTOCK_TRY(read_frame(frame, palette, region, line, pixels));
  return make_part(in_channels(pixels, options.channels), frame.canvas(), region.x, region.y);
}

}  // namespace penstock::decode
