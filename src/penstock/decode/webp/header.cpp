// A walk over the chunks of a WebP file (RFC 9649, section 2), for the first frame and the
// orientation.
#include "penstock/decode/webp/header.h"

#include <webp/decode.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "penstock/decode/exif.h"

namespace penstock::decode {
namespace {

constexpr std::size_t kChunksBegin = 12;  // after "RIFF", the size and "WEBP"
constexpr std::size_t kChunkHeaderBytes = 8;
constexpr std::size_t kCanvasBytes = 10;       // the payload of VP8X
constexpr std::size_t kFrameHeaderBytes = 16;  // in front of the chunks of a frame
constexpr unsigned kHasAnimation = 0x02;
constexpr unsigned kHasExif = 0x08;

bool begins_with(Bytes bytes, std::string_view text) {
  const Bytes expected = std::as_bytes(std::span(text));
  return bytes.size() >= expected.size() &&
         std::equal(expected.begin(), expected.end(), bytes.begin());
}

// `offset + size` lies inside `bytes`; `size` is at most 4.
std::uint32_t number_at(Bytes bytes, std::size_t offset, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i > 0; --i) {
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[offset + i - 1]);
  }
  return value;
}

// A side or a place: three bytes.
int coordinate_at(Bytes bytes, std::size_t offset) {
  return static_cast<int>(number_at(bytes, offset, 3));
}

// The payload of the first chunk with this name, if it is there in full.
std::optional<Bytes> find_chunk(Bytes bytes, std::string_view name) {
  std::size_t offset = kChunksBegin;
  while (offset < bytes.size() && bytes.size() - offset >= kChunkHeaderBytes) {
    const std::size_t size = number_at(bytes, offset + 4, 4);
    if (size > bytes.size() - offset - kChunkHeaderBytes) return std::nullopt;
    if (begins_with(bytes.subspan(offset), name)) {
      return bytes.subspan(offset + kChunkHeaderBytes, size);
    }
    offset += kChunkHeaderBytes + size + size % 2;
  }
  return std::nullopt;
}

// Damaged or missing EXIF data means upright.
int find_orientation(Bytes bytes) {
  constexpr std::string_view kPrefix("Exif\0\0", 6);  // JPEG's, which some writers leave there
  const std::optional<Bytes> exif = find_chunk(bytes, "EXIF");
  if (!exif) return 1;
  return exif_orientation(begins_with(*exif, kPrefix) ? exif->subspan(kPrefix.size()) : *exif);
}

Status damaged_header() { return corrupt("damaged header, expected an image of VP8 or VP8L"); }

bool lies_on(const Rect& place, ImageSize canvas) {
  return place.width <= canvas.width && place.x <= canvas.width - place.width &&
         place.height <= canvas.height && place.y <= canvas.height - place.height;
}

// The first frame of an animation, its stream not looked at.
Result<WebpFrame> find_first_frame(Bytes bytes, Bytes canvas) {
  const std::optional<Bytes> chunk = find_chunk(bytes, "ANMF");
  if (!chunk || chunk->size() < kFrameHeaderBytes) {
    return corrupt("no frame in an animation of ", bytes.size(), " bytes");
  }
  WebpFrame frame;
  frame.canvas = {coordinate_at(canvas, 4) + 1, coordinate_at(canvas, 7) + 1};
  frame.place = {2 * coordinate_at(*chunk, 0), 2 * coordinate_at(*chunk, 3),
                 coordinate_at(*chunk, 6) + 1, coordinate_at(*chunk, 9) + 1};
  frame.stream = chunk->subspan(kFrameHeaderBytes);
  if (lies_on(frame.place, frame.canvas)) return frame;
  return corrupt("frame is ", frame.place.width, "x", frame.place.height, " at ", frame.place.x,
                 ",", frame.place.y, ", expected a part of the canvas of ", frame.canvas.width, "x",
                 frame.canvas.height);
}

// The only image of a file or, in an animation, the first frame; its stream is not looked at.
Result<WebpFrame> locate_frame(Bytes bytes) {
  WebpFrame frame;
  frame.stream = bytes;
  if (!begins_with(bytes.subspan(kChunksBegin), "VP8X")) return frame;
  const std::optional<Bytes> canvas = find_chunk(bytes, "VP8X");
  if (!canvas || canvas->size() < kCanvasBytes) return damaged_header();
  const unsigned flags = number_at(*canvas, 0, 1);
  if ((flags & kHasAnimation) != 0) {
    PENSTOCK_TRY_ASSIGN(frame, find_first_frame(bytes, *canvas));
  }
  if ((flags & kHasExif) != 0) frame.orientation = find_orientation(bytes);
  return frame;
}

// Adds what the frame's own header says.
Status describe_stream(WebpFrame& frame) {
  WebPBitstreamFeatures features;
  const VP8StatusCode code = WebPGetFeatures(
      reinterpret_cast<const std::uint8_t*>(frame.stream.data()), frame.stream.size(), &features);
  if (code == VP8_STATUS_UNSUPPORTED_FEATURE) return unsupported("a header of a later version");
  if (code != VP8_STATUS_OK) return damaged_header();
  const bool is_alone = frame.canvas == ImageSize{};
  if (is_alone) {
    frame.canvas = {features.width, features.height};
    frame.place = {0, 0, features.width, features.height};
  }
  if (features.width != frame.place.width || features.height != frame.place.height) {
    return corrupt("frame is ", features.width, "x", features.height, ", expected ",
                   frame.place.width, "x", frame.place.height);
  }
  frame.is_lossy = features.format == 1;
  frame.has_alpha = features.has_alpha != 0;
  return {};
}

}  // namespace

bool is_webp(Bytes bytes) {
  return bytes.size() >= kChunksBegin && begins_with(bytes, "RIFF") &&
         begins_with(bytes.subspan(8), "WEBP");
}

Result<WebpFrame> find_webp_frame(Bytes bytes) {
  if (bytes.size() < kChunksBegin) {
    return corrupt("truncated after ", bytes.size(), " bytes, in the header");
  }
  const std::size_t size_bytes = std::size_t{number_at(bytes, 4, 4)} + 8;
  if (size_bytes > bytes.size()) {
    return corrupt("truncated after ", bytes.size(), " of ", size_bytes, " bytes");
  }
  if (size_bytes < kChunksBegin) return damaged_header();
  PENSTOCK_TRY_ASSIGN(WebpFrame frame, locate_frame(bytes.first(size_bytes)));
  PENSTOCK_TRY(describe_stream(frame));
  return frame;
}

Result<ImageHeader> read_webp_header(Bytes bytes) {
  PENSTOCK_TRY_ASSIGN(const WebpFrame frame, find_webp_frame(bytes));
  // libwebp holds all of a lossless image while it decodes any part, 4 bytes to a pixel; of a lossy
  // one a few rows, but all of its alpha channel, which may be lossless.
  const std::size_t pixel_bytes = frame.is_lossy ? (frame.has_alpha ? 5 : 0) : 4;
  const std::size_t whole_bytes = static_cast<std::size_t>(frame.place.width) *
                                  static_cast<std::size_t>(frame.place.height) * pixel_bytes;
  return ImageHeader{frame.canvas, frame.orientation, whole_bytes};
}

}  // namespace penstock::decode
