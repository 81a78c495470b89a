// Decodes the part of a WebP image that a crop needs, by libwebp.
#include "penstock/decode/webp/decode.h"

#include <webp/decode.h>

#include <algorithm>
#include <cstring>

#include "penstock/decode/pixel_convert.h"
#include "penstock/decode/scratch.h"
#include "penstock/decode/webp/header.h"

namespace penstock::decode {
namespace {

// What libwebp holds of a lossy image while it decodes, for each column: a few rows of macroblocks
// and what the row above them left.
constexpr std::size_t kColumnBytes = 80;

Rect common_part(const Rect& a, const Rect& b) {
  const int x = std::max(a.x, b.x);
  const int y = std::max(a.y, b.y);
  return {x, y, std::min(a.x + a.width, b.x + b.width) - x,
          std::min(a.y + a.height, b.y + b.height) - y};
}

Rect common_frame(const Rect& a, const Rect& b) {
  const int x = std::min(a.x, b.x);
  const int y = std::min(a.y, b.y);
  return {x, y, std::max(a.x + a.width, b.x + b.width) - x,
          std::max(a.y + a.height, b.y + b.height) - y};
}

// Chroma has half the resolution, and libwebp interpolates it as if the crop's edges were the
// image's. So the crop begins at an even place before the region and ends behind it, unless the
// image does: then every pixel of the region has its true neighbours.
Rect widened(const Rect& region, const Rect& frame) {
  const int left = std::max(0, (region.x - frame.x - 1) & ~1);
  const int top = std::max(0, (region.y - frame.y - 1) & ~1);
  const int right = std::min(frame.width, region.x - frame.x + region.width + 1);
  const int bottom = std::min(frame.height, region.y - frame.y + region.height + 1);
  return {frame.x + left, frame.y + top, right - left, bottom - top};
}

Status webp_failure(VP8StatusCode code, Bytes stream) {
  switch (code) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return resource_exhausted("no memory for the decoder");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return unsupported("a feature of a later version");
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return corrupt("pixels end early in an image of ", stream.size(), " bytes");
    default:
      return corrupt("damaged pixels in an image of ", stream.size(), " bytes");
  }
}

// Decodes `crop`, a part of the frame in coordinates of the canvas, to `out`.
Status decode_crop(const WebpFrame& frame, const Rect& crop, std::uint8_t* out,
                   std::size_t stride) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) return internal_error("libwebp of another version");
  config.options.use_cropping = 1;
  config.options.crop_left = crop.x - frame.place.x;
  config.options.crop_top = crop.y - frame.place.y;
  config.options.crop_width = crop.width;
  config.options.crop_height = crop.height;
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = out;
  config.output.u.RGBA.stride = static_cast<int>(stride);
  config.output.u.RGBA.size = stride * static_cast<std::size_t>(crop.height);
  const VP8StatusCode code = WebPDecode(reinterpret_cast<const std::uint8_t*>(frame.stream.data()),
                                        frame.stream.size(), &config);
  WebPFreeDecBuffer(&config.output);
  return code == VP8_STATUS_OK ? Status{} : webp_failure(code, frame.stream);
}

}  // namespace

std::size_t webp_memory_bytes(const ImageHeader& header, const ImageRequest& request, int) {
  const auto width = static_cast<std::size_t>(request.region.width) + 3;
  const auto height = static_cast<std::size_t>(request.region.height) + 3;
  return width * height * 3 + static_cast<std::size_t>(header.size.width) * kColumnBytes +
         header.whole_bytes;
}

Result<ImagePart> decode_webp(const EncodedImage& image, const ImageRequest& request,
                              const DecodeOptions& options, DecodeScratch& scratch) {
  PENSTOCK_TRY_ASSIGN(const WebpFrame frame, find_webp_frame(image.bytes));
  PENSTOCK_TRY(check_image_size(frame.canvas, 3));
  PENSTOCK_TRY(check_request(request, frame.canvas, options.channels));

  const Rect seen = common_part(request.region, frame.place);
  const bool is_seen = seen.width > 0 && seen.height > 0;
  const Rect crop = is_seen ? widened(seen, frame.place) : Rect{};
  const Rect covered = is_seen ? common_frame(crop, request.region) : request.region;
  const MutableImage pixels = scratch.state().pixels.prepare({covered.width, covered.height}, 3);
  const auto row_bytes = static_cast<std::size_t>(covered.width) * 3;
  if (covered != crop) {
    for (int y = 0; y < covered.height; ++y) std::memset(pixels.row(y), 0, row_bytes);
  }
  if (is_seen) {
    std::uint8_t* out = pixels.row(crop.y - covered.y) + 3 * (crop.x - covered.x);
    PENSTOCK_TRY(decode_crop(frame, crop, out, pixels.stride));
  }

  return make_part(in_channels(pixels, options.channels), frame.canvas, covered.x, covered.y);
}

}  // namespace penstock::decode
