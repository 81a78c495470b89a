// The usual crop for training on ImageNet.
#include <algorithm>
#include <cmath>

#include "penstock/transform/op.h"
#include "penstock/transform/size_option.h"

namespace penstock::transform {
namespace {

struct RandomResizedCrop {
  static constexpr std::string_view kName = "random_resized_crop";
  static constexpr std::string_view kDoc =
      "Cut out a window of random area, aspect and place, and resize it.";

  std::vector<int> size = {224};
  std::array<double, 2> scale = {0.08, 1};
  std::array<double, 2> ratio = {0.75, 1.3333333333333333};
  Filter filter = Filter::kBilinear;

  static constexpr auto fields() {
    return std::tuple{
        Field{"size", &RandomResizedCrop::size, "Both sides of the result, or height and width."},
        Field{"scale", &RandomResizedCrop::scale,
              "Least and greatest area of the window, as a share of the image's."},
        Field{"ratio", &RandomResizedCrop::ratio,
              "Least and greatest width of the window divided by its height."},
        Field{"filter", &RandomResizedCrop::filter,
              "How pixels are resampled; smoothed when the window shrinks."}};
  }

  Status check() const {
    PENSTOCK_TRY(check_size(size));
    PENSTOCK_TRY(check_pair("scale", scale));
    return check_pair("ratio", ratio);
  }

  std::optional<ImageSize> output_size(std::optional<ImageSize>) const { return size_of(size); }

  Geometry draw(ImageSize in, Rng rng) const {
    const Rect window = draw_window(in, rng);
    return compose(cropped(in, window),
                   resized({window.width, window.height}, size_of(size), filter));
  }

 private:
  static Status check_pair(std::string_view name, const std::array<double, 2>& pair) {
    if (pair[0] > 0 && pair[0] <= pair[1] && std::isfinite(pair[1])) return {};
    return invalid_argument(name, " is ", pair[0], ",", pair[1],
                            ", expected two positive numbers, the smaller first");
  }

  // torchvision's algorithm: ten attempts, then the largest allowed window in the middle.
  Rect draw_window(ImageSize in, Rng& rng) const {
    const double area = static_cast<double>(in.width) * in.height;
    const double log_low = std::log(ratio[0]), log_high = std::log(ratio[1]);
    for (int attempt = 0; attempt < 10; ++attempt) {
      const double target = area * rng.uniform(scale[0], scale[1]);
      const double aspect = std::exp(rng.uniform(log_low, log_high));
      const double width = std::nearbyint(std::sqrt(target * aspect));
      const double height = std::nearbyint(std::sqrt(target / aspect));
      if (width < 1 || width > in.width || height < 1 || height > in.height) continue;
      const int w = static_cast<int>(width), h = static_cast<int>(height);
      const auto y = rng.below(static_cast<std::uint32_t>(in.height - h) + 1);
      const auto x = rng.below(static_cast<std::uint32_t>(in.width - w) + 1);
      return {static_cast<int>(x), static_cast<int>(y), w, h};
    }
    return middle_window(in);
  }

  Rect middle_window(ImageSize in) const {
    const double aspect = static_cast<double>(in.width) / in.height;
    int width = in.width, height = in.height;
    if (aspect < ratio[0]) {
      height = std::clamp(static_cast<int>(std::nearbyint(width / ratio[0])), 1, in.height);
    } else if (aspect > ratio[1]) {
      width = std::clamp(static_cast<int>(std::nearbyint(height * ratio[1])), 1, in.width);
    }
    return {(in.width - width) / 2, (in.height - height) / 2, width, height};
  }
};

}  // namespace

OpDef random_resized_crop_op() { return define_op<RandomResizedCrop>(); }

}  // namespace penstock::transform
