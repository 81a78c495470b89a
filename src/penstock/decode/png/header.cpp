// A walk over PNG chunks (PNG specification, section 5), for the size and the orientation.
#include "penstock/decode/png/header.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "penstock/decode/exif.h"

namespace penstock::decode {
namespace {

constexpr std::array<std::uint8_t, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::uint32_t kHeaderChunk = 0x49484452;       // IHDR
constexpr std::uint32_t kEndChunk = 0x49454e44;          // IEND
constexpr std::uint32_t kOrientationChunk = 0x65584966;  // eXIf
constexpr std::size_t kHeaderEnd = 33;                   // signature and all of IHDR
constexpr std::uint32_t kMaxSide = 0x7fffffff;

std::uint32_t u32_at(Bytes bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[offset + i]);
  }
  return value;
}

// Of the first eXIf chunk; damaged or missing ones mean upright.
int find_orientation(Bytes bytes) {
  std::size_t offset = kHeaderEnd;
  while (bytes.size() - offset >= 12) {
    const std::size_t length = u32_at(bytes, offset);
    const std::uint32_t type = u32_at(bytes, offset + 4);
    if (type == kEndChunk || length > bytes.size() - offset - 12) break;
    if (type == kOrientationChunk) return exif_orientation(bytes.subspan(offset + 8, length));
    offset += 12 + length;
  }
  return 1;
}

}  // namespace

bool is_png(Bytes bytes) {
  return bytes.size() >= kSignature.size() &&
         std::equal(kSignature.begin(), kSignature.end(), bytes.begin(),
                    [](std::uint8_t a, std::byte b) { return std::byte{a} == b; });
}

Result<ImageHeader> read_png_header(Bytes bytes) {
  if (bytes.size() < kHeaderEnd) {
    return corrupt("truncated after ", bytes.size(), " bytes, in the header");
  }
  if (u32_at(bytes, 8) != 13 || u32_at(bytes, 12) != kHeaderChunk) {
    return corrupt("no header at byte 8, expected an IHDR chunk of 13 bytes");
  }
  const std::uint32_t width = u32_at(bytes, 16);
  const std::uint32_t height = u32_at(bytes, 20);
  if (width == 0 || height == 0 || width > kMaxSide || height > kMaxSide) {
    return corrupt("image is ", width, "x", height, ", expected sides from 1 to ", kMaxSide);
  }
  return ImageHeader{{static_cast<int>(width), static_cast<int>(height)}, find_orientation(bytes)};
}

}  // namespace penstock::decode
