// Adds a border of one colour.
#include "penstock/transform/op.h"
#include "penstock/transform/size_option.h"

namespace penstock::transform {
namespace {

struct Pad {
  static constexpr std::string_view kName = "pad";
  static constexpr std::string_view kDoc = "Add a border of one colour.";

  std::vector<int> padding = {0};
  std::vector<int> fill = {0};

  static constexpr auto fields() {
    return std::tuple{
        Field{"padding", &Pad::padding,
              "Pixels on every side; left/right and top/bottom; or left, top, right, bottom."},
        Field{"fill", &Pad::fill,
              "Colour in 0..255: one number, or red, green and blue. It "
              "passes through the colour ops as any pixel."}};
  }

  Status check() const {
    PENSTOCK_TRY(check_padding(padding));
    return check_fill(fill);
  }

  std::optional<ImageSize> output_size(std::optional<ImageSize> input) const {
    if (!input) return std::nullopt;
    return padded(*input, padding_of(padding), {}).output_size();
  }

  Geometry draw(ImageSize in, Rng) const { return padded(in, padding_of(padding), fill_of(fill)); }
};

}  // namespace

OpDef pad_op() { return define_op<Pad>(); }

}  // namespace penstock::transform
