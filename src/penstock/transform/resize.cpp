// Makes an image larger or smaller.
#include <algorithm>

#include "penstock/transform/op.h"
#include "penstock/transform/size_option.h"

namespace penstock::transform {
namespace {

struct Resize {
  static constexpr std::string_view kName = "resize";
  static constexpr std::string_view kDoc =
      "Resize the image: size=N makes the shorter side N and keeps the aspect, size=H,W is exact.";

  std::vector<int> size = {256};
  Filter filter = Filter::kBilinear;

  static constexpr auto fields() {
    return std::tuple{
        Field{"size", &Resize::size, "Length of the shorter side, or height and width."},
        Field{"filter", &Resize::filter, "How pixels are resampled; smoothed when it shrinks."}};
  }

  Status check() const { return check_size(size); }

  std::optional<ImageSize> output_size(std::optional<ImageSize> input) const {
    if (size.size() == 2) return size_of(size);
    if (!input) return std::nullopt;
    // The longer side is rounded down, as torchvision does.
    const std::int64_t shorter = std::min(input->width, input->height);
    const std::int64_t longer = std::max(input->width, input->height);
    const std::int64_t new_longer = size[0] * longer / shorter;
    const int other = static_cast<int>(std::min<std::int64_t>(new_longer, 1 << 30));
    return input->width <= input->height ? ImageSize{size[0], other} : ImageSize{other, size[0]};
  }

  Geometry draw(ImageSize in, Rng) const { return resized(in, *output_size(in), filter); }
};

}  // namespace

OpDef resize_op() { return define_op<Resize>(); }

}  // namespace penstock::transform
