// Cuts a window out of an image, somewhere.
#include <algorithm>

#include "penstock/transform/op.h"
#include "penstock/transform/size_option.h"

namespace penstock::transform {
namespace {

struct RandomCrop {
  static constexpr std::string_view kName = "random_crop";
  static constexpr std::string_view kDoc = "Cut out a window of fixed size at a random place.";

  std::vector<int> size = {224};
  std::vector<int> padding = {0};
  bool pad_if_needed = false;
  std::vector<int> fill = {0};

  static constexpr auto fields() {
    return std::tuple{
        Field{"size", &RandomCrop::size, "Both sides, or height and width."},
        Field{"padding", &RandomCrop::padding,
              "Border added first: on every side; left/right and top/bottom; or left, top, right, "
              "bottom."},
        Field{"pad_if_needed", &RandomCrop::pad_if_needed,
              "Whether an image smaller than size is padded; otherwise it is an error."},
        Field{"fill", &RandomCrop::fill,
              "Colour of the border in 0..255: one number, or red, green and blue."}};
  }

  Status check() const {
    PENSTOCK_TRY(check_size(size));
    PENSTOCK_TRY(check_padding(padding));
    return check_fill(fill);
  }

  std::optional<ImageSize> output_size(std::optional<ImageSize>) const { return size_of(size); }

  Result<Geometry> draw(ImageSize in, Rng rng) const {
    const ImageSize out = size_of(size);
    Padding border = padding_of(padding);
    const int width = in.width + border.left + border.right;
    const int height = in.height + border.top + border.bottom;
    const int missing_x = std::max(out.width - width, 0);
    const int missing_y = std::max(out.height - height, 0);
    if ((missing_x > 0 || missing_y > 0) && !pad_if_needed) {
      return invalid_argument("size is ", out.height, ",", out.width,
                              ", the image with its padding is ", height, ",", width,
                              ", expected one at least as large");
    }
    // On both sides, as torchvision pads.
    border.left += missing_x;
    border.right += missing_x;
    border.top += missing_y;
    border.bottom += missing_y;
    const Geometry bordered =
        has_border(border) ? padded(in, border, fill_of(fill)) : unchanged(in);
    const int left = place(rng, bordered.x.size - out.width);
    const int top = place(rng, bordered.y.size - out.height);
    return compose(bordered, cropped(bordered.output_size(), {left, top, out.width, out.height}));
  }

 private:
  static bool has_border(const Padding& border) {
    return border.left + border.top + border.right + border.bottom > 0;
  }
  static int place(Rng& rng, int room) {
    return static_cast<int>(rng.below(static_cast<std::uint32_t>(room) + 1));
  }
};

}  // namespace

OpDef random_crop_op() { return define_op<RandomCrop>(); }

}  // namespace penstock::transform
