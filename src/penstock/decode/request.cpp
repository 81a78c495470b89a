// What every codec checks before it decodes.
#include "penstock/decode/request.h"

namespace penstock::decode {
namespace {

// [start, start + length) lies in [0, side) and is not empty; cannot overflow.
bool is_inside(int start, int length, int side) {
  return start >= 0 && length > 0 && length <= side && start <= side - length;
}

}  // namespace

Status check_image_size(ImageSize size, int channels) {
  const std::int64_t max_pixels = kMaxImageBytes / channels;
  if (std::int64_t{size.width} * size.height <= max_pixels) return {};
  return unsupported("image is ", size.width, "x", size.height, ", expected at most ", max_pixels,
                     " pixels");
}

Status check_request(const ImageRequest& request, ImageSize size, int channels) {
  const Rect& region = request.region;
  if (channels != 1 && channels != 3) {
    return invalid_argument("channels is ", channels, ", expected 1 or 3");
  }
  if (request.min_eighths < 1 || request.min_eighths > 8) {
    return invalid_argument("min_eighths is ", request.min_eighths, ", expected 1 to 8");
  }
  if (is_inside(region.x, region.width, size.width) &&
      is_inside(region.y, region.height, size.height)) {
    return {};
  }
  return invalid_argument("region is ", region.width, "x", region.height, " at ", region.x, ",",
                          region.y, ", expected a part of the image of ", size.width, "x",
                          size.height);
}

ImagePart make_part(const ImageView& pixels, ImageSize full_size, int left, int top, int eighths) {
  return {pixels, full_size, static_cast<double>(left), static_cast<double>(top), eighths};
}

}  // namespace penstock::decode
