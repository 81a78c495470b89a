// Cuts out the middle of an image.
#include <algorithm>
#include <cmath>

#include "penstock/transform/op.h"
#include "penstock/transform/size_option.h"

namespace penstock::transform {
namespace {

struct CenterCrop {
  static constexpr std::string_view kName = "center_crop";
  static constexpr std::string_view kDoc =
      "Cut out the middle of the image; a smaller image is padded with black first.";

  std::vector<int> size = {224};

  static constexpr auto fields() {
    return std::tuple{Field{"size", &CenterCrop::size, "Both sides, or height and width."}};
  }

  Status check() const { return check_size(size); }

  std::optional<ImageSize> output_size(std::optional<ImageSize>) const { return size_of(size); }

  Geometry draw(ImageSize in, Rng) const {
    const ImageSize out = size_of(size);
    const int missing_x = std::max(out.width - in.width, 0);
    const int missing_y = std::max(out.height - in.height, 0);
    Geometry geometry = unchanged(in);
    if (missing_x > 0 || missing_y > 0) {
      geometry = padded(in,
                        {.left = missing_x / 2,
                         .top = missing_y / 2,
                         .right = missing_x - missing_x / 2,
                         .bottom = missing_y - missing_y / 2},
                        {});
      in = geometry.output_size();
    }
    // Halves go to the even neighbour, as Python's round() and so torchvision do.
    const int left = static_cast<int>(std::nearbyint((in.width - out.width) / 2.0));
    const int top = static_cast<int>(std::nearbyint((in.height - out.height) / 2.0));
    return compose(geometry, cropped(in, {left, top, out.width, out.height}));
  }
};

}  // namespace

OpDef center_crop_op() { return define_op<CenterCrop>(); }

}  // namespace penstock::transform
