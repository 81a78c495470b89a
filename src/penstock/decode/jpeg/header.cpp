// A walk over JPEG markers: ten times cheaper than libjpeg-turbo's (0.1 against 1.3 us), so that
// the size of an image can be asked before its crop is drawn.
#include "penstock/decode/jpeg/header.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "penstock/decode/exif.h"
#include "penstock/decode/jpeg/markers.h"

namespace penstock::decode {
namespace {

// Progressive; sequential files have one scan, but for very few.
bool has_several_scans(unsigned frame_marker) { return (frame_marker & 3) == 2; }

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
  SegmentReader segments(bytes);
  for (;;) {
    PENSTOCK_TRY_ASSIGN(const std::optional<Segment> segment, segments.next());
    if (!segment || segment->marker == kSos) break;
    const Bytes payload = segment->payload;
    if (is_frame_header(segment->marker) && !has_frame) {
      PENSTOCK_TRY_ASSIGN(header.size, read_frame_header(payload, segment->offset));
      has_frame = true;
      // A sequential scan is copied, with a quarter in reserve, to be read without stuffing.
      header.whole_bytes = has_several_scans(segment->marker)
                               ? coefficient_bytes(payload, header.size)
                               : bytes.size() / 4 * 5;
    } else if (segment->marker == kApp1 && header.orientation == 1) {
      header.orientation = app1_orientation(payload);
    }
  }
  if (has_frame) return header;
  return corrupt("no image size in ", bytes.size(), " bytes, expected a frame header");
}

}  // namespace penstock::decode
