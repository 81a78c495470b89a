// Decodes the strips or tiles of a TIFF file that a crop needs, by libtiff.
#include "penstock/decode/tiff/decode.h"

#include <algorithm>
#include <array>
#include <bit>

#include "penstock/decode/pixel_convert.h"
#include "penstock/decode/scratch.h"
#include "penstock/decode/tiff/convert.h"
#include "penstock/decode/tiff/layout.h"
#include "penstock/decode/tiff/session.h"

namespace penstock::decode {
namespace {

// Of the 16-bit samples that libtiff gives in the machine's byte order.
constexpr std::size_t kHighByte = std::endian::native == std::endian::little ? 1 : 0;

// The first multiple of `step` that is not above `value`.
int aligned_down(int value, int step) { return value - value % step; }

// Decodes blocks into one buffer and converts what lies in the region.
class BlockReader {
 public:
  BlockReader(TiffSession& session, const TiffLayout& layout, const Rect& region)
      : session_(session), layout_(layout), region_(region) {}

  Status read(DecodeScratch& scratch, const MutableImage& pixels) {
    PENSTOCK_TRY_ASSIGN(const TiffPalette palette, read_tiff_palette(session_, layout_));
    // Packed rows fit: those of a PixelBuffer are at least as long.
    buffer_ =
        scratch.state()
            .line
            .prepare(
                {static_cast<int>(layout_.block_row_bytes), layout_.block.height * num_planes()}, 1)
            .data;
    const int right = region_.x + region_.width;
    const int bottom = region_.y + region_.height;
    for (int y = aligned_down(region_.y, layout_.block.height); y < bottom;
         y += layout_.block.height) {
      for (int x = aligned_down(region_.x, layout_.block.width); x < right;
           x += layout_.block.width) {
        PENSTOCK_TRY(decode_block(x, y));
        convert_block(x, y, palette, pixels);
        if (layout_.block.width > right - x) break;
      }
      if (layout_.block.height > bottom - y) break;
    }
    return {};
  }

 private:
  int num_planes() const { return layout_.is_separate ? layout_.num_used_samples() : 1; }

  // Decodes the block that begins at (x, y), of a strip the rows down to the region's last one.
  Status decode_block(int x, int y) {
    const int rows = std::min(layout_.block.height, region_.y + region_.height - y);
    const auto size = static_cast<tmsize_t>(layout_.is_tiled ? layout_.block_bytes()
                                                             : layout_.block_row_bytes *
                                                                   static_cast<std::size_t>(rows));
    for (int plane = 0; plane < num_planes(); ++plane) {
      std::uint8_t* out = buffer_ + static_cast<std::size_t>(plane) * layout_.block_bytes();
      PENSTOCK_TRY(session_.read([&](TIFF* tiff) {
        const auto sample = static_cast<std::uint16_t>(plane);
        const auto row = static_cast<std::uint32_t>(y);
        if (!layout_.is_tiled) {
          return TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, row, sample), out, size) == size;
        }
        const auto column = static_cast<std::uint32_t>(x);
        const std::uint32_t tile = TIFFComputeTile(tiff, column, row, 0, sample);
        return TIFFReadEncodedTile(tiff, tile, out, size) == size;
      }));
    }
    return {};
  }

  TiffRow block_row(int y) const {
    const std::size_t sample_bytes = layout_.bits == 16 ? 2 : 1;
    const std::size_t offset = static_cast<std::size_t>(y) * layout_.block_row_bytes +
                               (layout_.bits == 16 ? kHighByte : 0);
    const std::size_t apart = layout_.is_separate ? layout_.block_bytes() : sample_bytes;
    TiffRow row;
    row.step = layout_.is_separate ? sample_bytes
                                   : sample_bytes * static_cast<std::size_t>(layout_.num_samples);
    for (std::size_t i = 0; i < static_cast<std::size_t>(layout_.num_used_samples()); ++i) {
      row.samples[i] = buffer_ + offset + i * apart;
    }
    return row;
  }

  void convert_block(int block_x, int block_y, const TiffPalette& palette,
                     const MutableImage& pixels) const {
    const int left = std::max(region_.x - block_x, 0);
    const int right = std::min(layout_.block.width, region_.x + region_.width - block_x);
    const int top = std::max(region_.y - block_y, 0);
    const int bottom = std::min(layout_.block.height, region_.y + region_.height - block_y);
    for (int y = top; y < bottom; ++y) {
      std::uint8_t* out = pixels.row(block_y + y - region_.y) + 3 * (block_x + left - region_.x);
      convert_tiff_row(layout_, palette, block_row(y), left, right - left, out);
    }
  }

  TiffSession& session_;
  const TiffLayout& layout_;
  const Rect region_;
  std::uint8_t* buffer_ = nullptr;
};

// What libtiff's conversion to RGB holds.
class RgbaImage {
 public:
  ~RgbaImage() {
    if (is_open_) TIFFRGBAImageEnd(&image_);
  }

  bool open(TIFF* tiff) {
    std::array<char, 1024> message{};
    is_open_ = TIFFRGBAImageOK(tiff, message.data()) != 0 &&
               TIFFRGBAImageBegin(&image_, tiff, 1, message.data()) != 0;
    return is_open_;
  }

  TIFFRGBAImage* operator->() { return &image_; }
  TIFFRGBAImage* get() { return &image_; }

 private:
  TIFFRGBAImage image_{};
  bool is_open_ = false;
};

// Rows of whole blocks, in the whole width, converted by libtiff.
Status read_converted(TiffSession& session, const TiffLayout& layout, const Rect& region,
                      DecodeScratch& scratch, const MutableImage& pixels) {
  const int top = aligned_down(region.y, layout.block.height);
  const int bottom = region.y + region.height;
  const int rows_left = layout.block.height - (bottom - 1) % layout.block.height - 1;
  const int height = bottom - top + std::min(rows_left, layout.size.height - bottom);
  const auto width = static_cast<std::uint32_t>(layout.size.width);
  // Packed rows fit: those of a PixelBuffer are at least as long.
  auto* raster = reinterpret_cast<std::uint32_t*>(
      scratch.state().line.prepare({layout.size.width, height}, 4).data);
  RgbaImage image;
  PENSTOCK_TRY(session.read([&](TIFF* tiff) {
    if (!image.open(tiff)) return false;
    image->req_orientation = image->orientation;  // as stored
    image->row_offset = top;
    return TIFFRGBAImageGet(image.get(), raster, width, static_cast<std::uint32_t>(height)) != 0;
  }));
  for (int y = 0; y < region.height; ++y) {
    const std::uint32_t* in = raster + static_cast<std::size_t>(region.y - top + y) * width;
    std::uint8_t* out = pixels.row(y);
    for (int x = region.x; x < region.x + region.width; ++x, out += 3) {
      out[0] = static_cast<std::uint8_t>(TIFFGetR(in[x]));
      out[1] = static_cast<std::uint8_t>(TIFFGetG(in[x]));
      out[2] = static_cast<std::uint8_t>(TIFFGetB(in[x]));
    }
  }
  return {};
}

}  // namespace

std::size_t tiff_memory_bytes(const ImageHeader& header, const ImageRequest& request, int) {
  return static_cast<std::size_t>(request.region.width) *
             static_cast<std::size_t>(request.region.height) * 3 +
         header.whole_bytes;
}

Result<ImagePart> decode_tiff(const EncodedImage& image, const ImageRequest& request,
                              const DecodeOptions& options, DecodeScratch& scratch) {
  PENSTOCK_TRY_ASSIGN(TiffSession session, TiffSession::open(image.bytes));
  PENSTOCK_TRY_ASSIGN(const TiffLayout layout, read_tiff_layout(session));
  PENSTOCK_TRY(check_request(request, layout.size, options.channels));
  const Rect& region = request.region;
  const MutableImage pixels = scratch.state().pixels.prepare({region.width, region.height}, 3);
  if (layout.colour == TiffColour::kYcbcr) {
    PENSTOCK_TRY(read_converted(session, layout, region, scratch, pixels));
  } else {
    PENSTOCK_TRY(BlockReader(session, layout, region).read(scratch, pixels));
  }
  return make_part(in_channels(pixels, options.channels), layout.size, region.x, region.y);
}

}  // namespace penstock::decode
