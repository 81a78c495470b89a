// Makes contrasts stronger or weaker, at random.
#include "penstock/transform/colour_option.h"
#include "penstock/transform/op.h"

namespace penstock::transform {
namespace {

struct Contrast {
  static constexpr std::string_view kName = "contrast";
  static constexpr std::string_view kDoc =
      "Move values away from a fixed center by a random factor (torchvision: from the image's "
      "mean).";

  double amount = 0.4;
  double center = 0.5;

  static constexpr auto fields() {
    return std::tuple{Field{"amount", &Contrast::amount,
                            "The factor is drawn from [max(0, 1 - amount), 1 + amount]."},
                      Field{"center", &Contrast::center, "The value that stays, in 0..1."}};
  }

  Status check() const {
    PENSTOCK_TRY(check_amount("amount", amount));
    if (center >= 0 && center <= 1) return {};
    return invalid_argument("center is ", center, ", expected a value in [0, 1]");
  }

  Colour draw(Rng rng) const { return contrasted(draw_factor(rng, amount), center); }
};

}  // namespace

OpDef contrast_op() { return define_op<Contrast>(); }

}  // namespace penstock::transform
