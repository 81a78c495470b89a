// Reads the headers of BMP files (Microsoft, "Bitmap Storage"; OS/2 "Bitmap File Format").
//
// By hand, because no packaged library reads what is found in BMP files and reports what is
// damaged: stb_image knows neither run-length encoding nor OS/2's second header and fills the
// missing end of a cut file with zeros, and the others (SDL_image, ImageMagick, FreeImage) bring
// whole frameworks.
#include "penstock/decode/bmp/header.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace penstock::decode {
namespace {

constexpr std::size_t kFileHeaderBytes = 14;
constexpr std::size_t kCoreHeaderBytes = 12;  // of Windows 2 and OS/2 1
constexpr std::size_t kOs2HeaderBytes = 64;
constexpr std::array<std::size_t, 6> kHeaderSizes = {40, 52, 56, kOs2HeaderBytes, 108, 124};
constexpr std::size_t kMasksOffset = kFileHeaderBytes + 40;
constexpr std::uint32_t kRaw = 0;
constexpr std::uint32_t kRle8 = 1;
constexpr std::uint32_t kRle4 = 2;
constexpr std::uint32_t kMasks = 3;

std::uint32_t number_at(Bytes bytes, std::size_t offset, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i > 0; --i) {
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[offset + i - 1]);
  }
  return value;
}

Status truncated(Bytes bytes, std::size_t expected) {
  return corrupt("truncated after ", bytes.size(), " of ", expected, " bytes");
}

// The fields of all headers.
struct Fields {
  std::size_t header_bytes = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;  // negative: top down
  std::uint32_t bits = 0;
  std::uint32_t compression = kRaw;
  std::uint32_t num_colours = 0;  // 0: as many as the bits can number
};

Result<Fields> read_fields(Bytes bytes) {
  if (bytes.size() < kFileHeaderBytes + 4) return truncated(bytes, kFileHeaderBytes + 4);
  Fields fields;
  fields.header_bytes = number_at(bytes, kFileHeaderBytes, 4);
  const bool is_core = fields.header_bytes == kCoreHeaderBytes;
  if (!is_core && std::ranges::find(kHeaderSizes, fields.header_bytes) == kHeaderSizes.end()) {
    return unsupported("header is ", fields.header_bytes,
                       " bytes, expected 12, 40, 52, 56, 64, 108 or 124");
  }
  const std::size_t end = kFileHeaderBytes + fields.header_bytes;
  if (bytes.size() < end) return truncated(bytes, end);
  const Bytes header = bytes.subspan(kFileHeaderBytes);
  if (is_core) {
    fields.width = number_at(header, 4, 2);
    fields.height = number_at(header, 6, 2);
    fields.bits = number_at(header, 10, 2);
    return fields;
  }
  fields.width = static_cast<std::int32_t>(number_at(header, 4, 4));
  fields.height = static_cast<std::int32_t>(number_at(header, 8, 4));
  fields.bits = number_at(header, 14, 2);
  fields.compression = number_at(header, 16, 4);
  fields.num_colours = number_at(header, 32, 4);
  return fields;
}

Status check_fields(const Fields& fields) {
  constexpr std::int64_t kMaxSide = std::numeric_limits<std::int32_t>::max();
  if (fields.width < 1 || fields.height == 0 || fields.height < -kMaxSide) {
    return corrupt("image is ", fields.width, "x", fields.height, ", expected sides from 1 to ",
                   kMaxSide);
  }
  constexpr std::array<std::uint32_t, 6> kDepths = {1, 4, 8, 16, 24, 32};
  if (std::ranges::find(kDepths, fields.bits) == kDepths.end()) {
    return unsupported(fields.bits, " bits a pixel, expected 1, 4, 8, 16, 24 or 32");
  }
  const bool is_known =
      fields.compression == kRaw || (fields.compression == kRle8 && fields.bits == 8) ||
      (fields.compression == kRle4 && fields.bits == 4) ||
      (fields.compression == kMasks && fields.bits >= 16 && fields.header_bytes != kOs2HeaderBytes);
  if (is_known) return {};
  return unsupported("compression ", fields.compression, " of ", fields.bits,
                     " bits a pixel, expected 0, 1 (8 bits), 2 (4 bits) or 3 (16 to 32 bits)");
}

Result<BmpChannel> channel_of(std::uint32_t mask) {
  const int shift = mask == 0 ? 0 : std::countr_zero(mask);
  const std::uint32_t max = mask >> shift;
  if (max != 0 && (max & (max + 1)) == 0) return BmpChannel{shift, max};
  return unsupported("channel mask is ", mask, ", expected adjacent bits");
}

// Of pixels without a palette. `end` is where the headers end, behind the masks.
Status read_channels(Bytes bytes, const Fields& fields, BmpLayout& layout, std::size_t& end) {
  std::array<std::uint32_t, 3> masks = {0xff0000, 0xff00, 0xff};
  if (fields.bits == 16) masks = {0x7c00, 0x3e0, 0x1f};
  if (fields.compression == kMasks) {
    // A header of 40 bytes is followed by the masks, larger ones contain them.
    end = std::max(end, kMasksOffset + 12);
    if (bytes.size() < end) return truncated(bytes, end);
    std::array<std::uint32_t, 3> stored;
    for (std::size_t i = 0; i < 3; ++i) stored[i] = number_at(bytes, kMasksOffset + 4 * i, 4);
    // All zero means the usual ones.
    if (stored != std::array<std::uint32_t, 3>{}) masks = stored;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    PENSTOCK_TRY_ASSIGN(layout.channels[i], channel_of(masks[i]));
  }
  return {};
}

Status read_palette(Bytes bytes, const Fields& fields, BmpLayout& layout, std::size_t& end) {
  layout.entry_bytes = fields.header_bytes == kCoreHeaderBytes ? 3 : 4;
  const std::size_t most = std::size_t{1} << fields.bits;
  const std::size_t stored = fields.num_colours == 0 ? most : fields.num_colours;
  if (stored > (std::size_t{1} << 16)) {
    return corrupt("palette has ", stored, " colours, expected at most ", most);
  }
  const std::size_t begin = end;
  end += stored * layout.entry_bytes;
  if (bytes.size() < end) return truncated(bytes, end);
  layout.palette = bytes.subspan(begin, std::min(stored, most) * layout.entry_bytes);
  return {};
}

// Where the pixels begin. Some writers forget that the palette lies between; 0 is "at once".
std::size_t pixels_begin(Bytes bytes, const Fields& fields, std::size_t headers_end) {
  const std::size_t stored = number_at(bytes, 10, 4);
  const bool forgets_palette = fields.bits <= 8 && stored == kFileHeaderBytes + fields.header_bytes;
  return stored == 0 || forgets_palette ? headers_end : stored;
}

}  // namespace

bool is_bmp(Bytes bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{'B'} && bytes[1] == std::byte{'M'};
}

Result<BmpLayout> read_bmp_layout(Bytes bytes) {
  PENSTOCK_TRY_ASSIGN(const Fields fields, read_fields(bytes));
  PENSTOCK_TRY(check_fields(fields));
  BmpLayout layout;
  layout.size = {static_cast<int>(fields.width),
                 static_cast<int>(fields.height < 0 ? -fields.height : fields.height)};
  layout.bits = static_cast<int>(fields.bits);
  layout.is_rle = fields.compression == kRle8 || fields.compression == kRle4;
  layout.is_top_down = fields.height < 0;
  PENSTOCK_TRY(check_image_size(layout.size, 3));

  std::size_t end = kFileHeaderBytes + fields.header_bytes;
  if (fields.bits <= 8) {
    PENSTOCK_TRY(read_palette(bytes, fields, layout, end));
  } else {
    PENSTOCK_TRY(read_channels(bytes, fields, layout, end));
  }

  const std::size_t begin = pixels_begin(bytes, fields, end);
  const std::size_t row_bits = static_cast<std::size_t>(fields.width) * fields.bits;
  layout.row_bytes = (row_bits + 7) / 8;
  layout.stride = (row_bits + 31) / 32 * 4;
  // The padding of the last row may be missing.
  const std::size_t needed =
      layout.is_rle ? begin
                    : begin + layout.stride * static_cast<std::size_t>(layout.size.height - 1) +
                          layout.row_bytes;
  if (bytes.size() < needed) return truncated(bytes, needed);
  layout.pixels = bytes.subspan(begin);
  return layout;
}

Result<ImageHeader> read_bmp_header(Bytes bytes) {
  PENSTOCK_TRY_ASSIGN(const BmpLayout layout, read_bmp_layout(bytes));
  return ImageHeader{layout.size};
}

}  // namespace penstock::decode
