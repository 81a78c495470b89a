// Reads the tags of a TIFF file that say how its pixels are stored (TIFF 6.0).
#include "penstock/decode/tiff/layout.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string_view>

namespace penstock::decode {
namespace {

// Those that report damage. Old-style JPEG, the fax variants of single vendors and what is not for
// pictures are left out.
constexpr std::array<std::uint16_t, 11> kCompressions = {
    COMPRESSION_NONE,          COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4,
    COMPRESSION_LZW,           COMPRESSION_JPEG,     COMPRESSION_DEFLATE,   COMPRESSION_PACKBITS,
    COMPRESSION_ADOBE_DEFLATE, COMPRESSION_LZMA,     COMPRESSION_ZSTD};

int num_colours(TiffColour colour) {
  switch (colour) {
    case TiffColour::kRgb:
    case TiffColour::kYcbcr:
      return 3;
    case TiffColour::kCmyk:
      return 4;
    default:
      return 1;
  }
}

Result<ImageSize> read_size(const TiffSession& session) {
  constexpr std::uint32_t kMaxSide = std::numeric_limits<int>::max();
  const auto width = session.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
  const auto height = session.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
  if (width == 0 || height == 0 || width > kMaxSide || height > kMaxSide) {
    return corrupt("image is ", width, "x", height, ", expected sides from 1 to ", kMaxSide);
  }
  const ImageSize size{static_cast<int>(width), static_cast<int>(height)};
  PENSTOCK_TRY(check_image_size(size, 3));
  return size;
}

Status check_compression(std::uint16_t compression) {
  const bool is_known = std::ranges::find(kCompressions, compression) != kCompressions.end();
  if (is_known && TIFFIsCODECConfigured(compression) != 0) return {};
  return unsupported("compression ", compression,
                     ", expected none, fax, lzw, jpeg, deflate, packbits, lzma or zstd");
}

// A file that does not say is black on white paper, as Pillow takes it.
Result<TiffColour> read_colour(const TiffSession& session, std::uint16_t compression,
                               bool is_separate) {
  std::uint16_t photometric = PHOTOMETRIC_MINISWHITE;
  TIFFGetField(session.tiff(), TIFFTAG_PHOTOMETRIC, &photometric);
  switch (photometric) {
    case PHOTOMETRIC_MINISWHITE:
      return TiffColour::kInvertedGray;
    case PHOTOMETRIC_MINISBLACK:
      return TiffColour::kGray;
    case PHOTOMETRIC_PALETTE:
      return TiffColour::kPalette;
    case PHOTOMETRIC_RGB:
      return TiffColour::kRgb;
    case PHOTOMETRIC_SEPARATED:
      return TiffColour::kCmyk;
    case PHOTOMETRIC_YCBCR:
      if (compression != COMPRESSION_JPEG || is_separate) return TiffColour::kYcbcr;
      TIFFSetField(session.tiff(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      return TiffColour::kRgb;
    default:
      return unsupported("colour space ", photometric,
                         ", expected gray (0, 1), RGB (2), palette (3), CMYK (5) or YCbCr (6)");
  }
}

Status read_samples(const TiffSession& session, TiffLayout& layout) {
  layout.bits = session.field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
  layout.num_samples = session.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
  const auto format = session.field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  const bool is_integer = format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID ||
                          (format == SAMPLEFORMAT_INT && layout.bits == 8);
  if (!is_integer) {
    return unsupported("samples of format ", format, ", expected unsigned integers (1)");
  }
  const int colours = num_colours(layout.colour);
  if (layout.num_samples < colours) {
    return corrupt(layout.num_samples, " samples a pixel, expected at least ", colours);
  }
  const bool is_palette = layout.colour == TiffColour::kPalette;
  const bool is_whole = layout.bits == 8 || (layout.bits == 16 && !is_palette);
  const bool is_packed = (layout.bits == 1 || layout.bits == 2 || layout.bits == 4) &&
                         colours == 1 && layout.num_samples == 1;
  if (is_packed || (is_whole && (layout.colour != TiffColour::kYcbcr || layout.bits == 8))) {
    return {};
  }
  return unsupported(layout.num_samples, " samples of ", layout.bits,
                     " bits a pixel, expected 8 or 16 bits, or one sample of 1, 2 or 4");
}

bool has_multiplied_alpha(const TiffSession& session, TiffColour colour) {
  std::uint16_t count = 0;
  std::uint16_t* kinds = nullptr;
  const bool has_extra =
      TIFFGetField(session.tiff(), TIFFTAG_EXTRASAMPLES, &count, &kinds) == 1 && count > 0;
  return has_extra && kinds[0] == EXTRASAMPLE_ASSOCALPHA &&
         (colour == TiffColour::kRgb || colour == TiffColour::kGray);
}

Status read_blocks(const TiffSession& session, TiffLayout& layout) {
  TIFF* tiff = session.tiff();
  layout.is_tiled = TIFFIsTiled(tiff) != 0;
  std::uint32_t width = static_cast<std::uint32_t>(layout.size.width);
  std::uint32_t height = static_cast<std::uint32_t>(layout.size.height);
  if (layout.is_tiled) {
    width = session.field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0);
    height = session.field<std::uint32_t>(TIFFTAG_TILELENGTH, 0);
  } else {
    height = std::min(height, session.field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP, height));
  }
  layout.block_row_bytes = layout.is_tiled ? TIFFTileRowSize64(tiff) : TIFFScanlineSize64(tiff);
  const int num_planes = layout.is_separate ? layout.num_used_samples() : 1;
  const std::size_t max_rows = static_cast<std::size_t>(kMaxImageBytes / num_planes) /
                               std::max<std::size_t>(layout.block_row_bytes, 1);
  if (width == 0 || height == 0 || layout.block_row_bytes == 0) {
    return corrupt("blocks of ", width, "x", height, ", expected at least 1x1");
  }
  if (width > static_cast<std::uint32_t>(std::numeric_limits<int>::max()) || height > max_rows) {
    return unsupported("blocks of ", width, "x", height, ", expected at most ", kMaxImageBytes,
                       " bytes");
  }
  layout.block = {static_cast<int>(width), static_cast<int>(height)};
  const auto stored_samples = static_cast<std::size_t>(layout.is_separate ? 1 : layout.num_samples);
  const std::size_t needed =
      (width * stored_samples * static_cast<std::size_t>(layout.bits) + 7) / 8;
  // Subsampled chroma needs less.
  if (layout.colour == TiffColour::kYcbcr || layout.block_row_bytes >= needed) return {};
  return corrupt("rows of ", layout.block_row_bytes, " bytes, expected ", needed);
}

// A cut file is bad whatever the crop. Blocks that are not compressed may claim more than they
// need.
Status check_blocks(const TiffSession& session, const TiffLayout& layout, bool is_compressed) {
  TIFF* tiff = session.tiff();
  const std::uint32_t count = layout.is_tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
  const std::uint64_t size_bytes = session.bytes().size();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t offset = TIFFGetStrileOffset(tiff, i);
    std::uint64_t needed = TIFFGetStrileByteCount(tiff, i);
    if (!is_compressed) needed = std::min<std::uint64_t>(needed, layout.block_bytes());
    if (offset <= size_bytes && needed <= size_bytes - offset) continue;
    return corrupt("truncated after ", size_bytes, " bytes, expected ", needed, " from byte ",
                   offset, " on");
  }
  return {};
}

}  // namespace

bool is_tiff(Bytes bytes) {
  constexpr std::array<std::string_view, 4> kMarks = {
      std::string_view("II*\0", 4), std::string_view("MM\0*", 4), std::string_view("II+\0", 4),
      std::string_view("MM\0+", 4)};
  return std::ranges::any_of(kMarks, [&](std::string_view mark) {
    const Bytes expected = std::as_bytes(std::span(mark));
    return bytes.size() >= expected.size() &&
           std::equal(expected.begin(), expected.end(), bytes.begin());
  });
}

int TiffLayout::num_used_samples() const {
  return num_colours(colour) + (has_multiplied_alpha ? 1 : 0);
}

Result<TiffLayout> read_tiff_layout(const TiffSession& session) {
  TiffLayout layout;
  PENSTOCK_TRY_ASSIGN(layout.size, read_size(session));
  const auto compression = session.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  PENSTOCK_TRY(check_compression(compression));
  layout.is_separate = session.field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) ==
                       PLANARCONFIG_SEPARATE;
  PENSTOCK_TRY_ASSIGN(layout.colour, read_colour(session, compression, layout.is_separate));
  PENSTOCK_TRY(read_samples(session, layout));
  layout.has_multiplied_alpha = has_multiplied_alpha(session, layout.colour) &&
                                layout.num_samples > num_colours(layout.colour);
  const int orientation = session.field<std::uint16_t>(TIFFTAG_ORIENTATION, 1);
  layout.orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
  PENSTOCK_TRY(read_blocks(session, layout));
  PENSTOCK_TRY(check_blocks(session, layout, compression != COMPRESSION_NONE));
  return layout;
}

Result<ImageHeader> read_tiff_header(Bytes bytes) {
  PENSTOCK_TRY_ASSIGN(const TiffSession session, TiffSession::open(bytes));
  PENSTOCK_TRY_ASSIGN(const TiffLayout layout, read_tiff_layout(session));
  std::size_t whole_bytes = layout.block_bytes();
  if (layout.is_separate) whole_bytes *= static_cast<std::size_t>(layout.num_used_samples());
  if (layout.colour == TiffColour::kYcbcr) {
    // libtiff's own block, and its rows in 4 bytes a pixel.
    whole_bytes += 4 * static_cast<std::size_t>(layout.size.width) *
                   static_cast<std::size_t>(layout.size.height);
  }
  return ImageHeader{layout.size, layout.orientation, whole_bytes};
}

}  // namespace penstock::decode
