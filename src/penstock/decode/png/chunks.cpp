// A walk over PNG chunks (PNG specification, section 5).
#include "penstock/decode/png/chunks.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "penstock/decode/png/header.h"

namespace penstock::decode {
namespace {

constexpr std::uint32_t kHeader = png_type("IHDR");
constexpr std::uint32_t kPalette = png_type("PLTE");
constexpr std::uint32_t kImageData = png_type("IDAT");
constexpr std::uint32_t kEnd = png_type("IEND");
constexpr std::size_t kHeaderEnd = 33;  // signature and all of IHDR
constexpr std::uint32_t kMaxSide = 0x7fffffff;

bool is_letter(unsigned char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

std::string type_text(std::uint32_t type) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    const auto c = static_cast<unsigned char>(type >> shift);
    text += is_letter(c) ? static_cast<char>(c) : '?';
  }
  return text;
}

// A decoder need not know it: its first letter is a small one.
bool is_ancillary(std::uint32_t type) { return (type & 0x20000000u) != 0; }

// Which depths a colour type has, as a sum of them; 0 if there is no such type.
int allowed_depths(unsigned colour) {
  constexpr std::array<int, 7> kDepths = {
      1 + 2 + 4 + 8 + 16, 0, 8 + 16, 1 + 2 + 4 + 8, 8 + 16, 0, 8 + 16};
  return colour < kDepths.size() ? kDepths[colour] : 0;
}

Status check_sum(const PngChunk& chunk, Bytes bytes) {
  const std::size_t sum_offset = chunk.offset + 8 + chunk.content.size();
  if (bytes.size() - sum_offset < 4) {
    return corrupt("truncated after ", bytes.size(), " bytes, in the ", chunk.text());
  }
  const std::uint32_t found = libdeflate_crc32(0, chunk.summed.data(), chunk.summed.size());
  if (found == png_number(bytes, sum_offset)) return {};
  return corrupt("wrong checksum of the ", chunk.text());
}

Status take_palette(const PngChunk& chunk, PngChunks& chunks) {
  if (chunks.num_data_chunks > 0)
    return corrupt(chunk.text(), ", expected it before the IDAT chunk");
  if (!chunks.palette.empty()) return corrupt("a second ", chunk.text(), ", expected one");
  const std::size_t size = chunk.content.size();
  if (size == 0 || size % 3 != 0 || size > 768) {
    return corrupt(chunk.text(), " has ", size, " bytes, expected 3 for each of 1 to 256 colours");
  }
  chunks.palette = chunk.content;
  return {};
}

// `previous` is the type of the chunk before.
Status take_data(const PngChunk& chunk, std::uint32_t previous, PngChunks& chunks) {
  if (chunks.num_data_chunks == 0) {
    chunks.data_begin = chunk.offset;
  } else if (previous != kImageData) {
    return corrupt(chunk.text(), " follows a ", type_text(previous),
                   " chunk, expected all IDAT chunks in a row");
  }
  chunks.data_bytes += chunk.content.size();
  ++chunks.num_data_chunks;
  return {};
}

Status take_chunk(const PngChunk& chunk, std::uint32_t previous, PngChunks& chunks) {
  switch (chunk.type) {
    case kEnd:
      return chunk.content.empty()
                 ? Status{}
                 : corrupt(chunk.text(), " has ", chunk.content.size(), " bytes, expected none");
    case kHeader:
      return previous == 0 ? Status{} : corrupt("a second ", chunk.text(), ", expected one");
    case kPalette:
      return take_palette(chunk, chunks);
    case kImageData:
      return take_data(chunk, previous, chunks);
    default:
      return is_ancillary(chunk.type)
                 ? Status{}
                 : unsupported(chunk.text(), ", expected no critical chunk of this type");
  }
}

}  // namespace

std::uint32_t png_number(Bytes bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[offset + i]);
  }
  return value;
}

std::string PngChunk::text() const { return concat(type_text(type), " chunk at byte ", offset); }

Result<PngChunk> PngChunkReader::next() {
  const std::size_t rest = bytes_.size() - std::min(offset_, bytes_.size());
  if (rest < 8) {
    return corrupt("truncated after ", bytes_.size(), " bytes, expected an IEND chunk at the end");
  }
  PngChunk chunk;
  chunk.type = png_number(bytes_, offset_ + 4);
  chunk.offset = offset_;
  const std::size_t length = png_number(bytes_, offset_);
  const std::size_t sum_bytes = chunk.type == kEnd ? 0 : 4;
  if (rest - 8 < sum_bytes || length > rest - 8 - sum_bytes) {
    return corrupt("truncated after ", bytes_.size(), " bytes, in the ", chunk.text(),
                   ", expected ", length, " bytes of content");
  }
  chunk.content = bytes_.subspan(offset_ + 8, length);
  chunk.summed = bytes_.subspan(offset_ + 4, length + 4);
  offset_ += length + 12;
  return chunk;
}

int PngFormat::num_samples() const {
  switch (colour) {
    case PngColour::kGrayAlpha:
      return 2;
    case PngColour::kRgb:
      return 3;
    case PngColour::kRgba:
      return 4;
    default:
      return 1;
  }
}

std::size_t PngFormat::row_bytes(int width) const {
  return (static_cast<std::size_t>(width) * static_cast<std::size_t>(pixel_bits()) + 7) / 8;
}

Result<PngFormat> read_png_format(Bytes bytes) {
  if (!is_png(bytes)) return corrupt("no signature at byte 0, expected that of a PNG");
  if (bytes.size() < kHeaderEnd) {
    return corrupt("truncated after ", bytes.size(), " bytes, in the header");
  }
  if (png_number(bytes, 8) != 13 || png_number(bytes, 12) != kHeader) {
    return corrupt("no header at byte 8, expected an IHDR chunk of 13 bytes");
  }
  const std::uint32_t width = png_number(bytes, 16);
  const std::uint32_t height = png_number(bytes, 20);
  if (width == 0 || height == 0 || width > kMaxSide || height > kMaxSide) {
    return corrupt("image is ", width, "x", height, ", expected sides from 1 to ", kMaxSide);
  }
  const auto value = [&](std::size_t offset) { return std::to_integer<int>(bytes[offset]); };
  const int depth = value(24), colour = value(25);
  const bool is_power = depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
  if (!is_power || (allowed_depths(static_cast<unsigned>(colour)) & depth) == 0) {
    return corrupt("colour type is ", colour, " with ", depth,
                   " bits a sample, expected one of the specification's combinations");
  }
  if (value(26) != 0 || value(27) != 0 || value(28) > 1) {
    return corrupt("compression, filter and interlace methods are ", value(26), ", ", value(27),
                   " and ", value(28), ", expected 0, 0 and at most 1");
  }
  return PngFormat{{static_cast<int>(width), static_cast<int>(height)},
                   depth,
                   static_cast<PngColour>(colour),
                   value(28) == 1};
}

Result<PngChunks> read_png_chunks(Bytes bytes, bool checks_sums) {
  PngChunks chunks;
  PENSTOCK_TRY_ASSIGN(chunks.format, read_png_format(bytes));
  PngChunkReader reader(bytes);
  std::uint32_t previous = 0;
  while (previous != kEnd) {
    PENSTOCK_TRY_ASSIGN(const PngChunk chunk, reader.next());
    if (checks_sums) PENSTOCK_TRY(check_sum(chunk, bytes));
    PENSTOCK_TRY(take_chunk(chunk, previous, chunks));
    previous = chunk.type;
  }
  if (chunks.num_data_chunks == 0) return corrupt("no IDAT chunk, expected image data");
  if (chunks.format.colour == PngColour::kPalette && chunks.palette.empty()) {
    return corrupt("no PLTE chunk, expected the palette of colour type 3");
  }
  return chunks;
}

Bytes png_data(Bytes bytes, const PngChunks& chunks, std::byte* joined) {
  if (chunks.num_data_chunks == 1) return bytes.subspan(chunks.data_begin + 8, chunks.data_bytes);
  std::size_t offset = chunks.data_begin, size = 0;
  for (int i = 0; i < chunks.num_data_chunks; ++i) {
    const std::size_t length = png_number(bytes, offset);
    std::memcpy(joined + size, bytes.data() + offset + 8, length);
    offset += length + 12;
    size += length;
  }
  return {joined, size};
}

}  // namespace penstock::decode
