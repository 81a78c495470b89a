// Makes an image brighter or darker, at random.
#include "penstock/transform/colour_option.h"
#include "penstock/transform/op.h"

namespace penstock::transform {
namespace {

struct Brightness {
  static constexpr std::string_view kName = "brightness";
  static constexpr std::string_view kDoc = "Multiply the image by a random factor.";

  double amount = 0.4;

  static constexpr auto fields() {
    return std::tuple{Field{"amount", &Brightness::amount,
                            "The factor is drawn from [max(0, 1 - amount), 1 + amount]."}};
  }

  Status check() const { return check_amount("amount", amount); }

  Colour draw(Rng rng) const { return brightened(draw_factor(rng, amount)); }
};

}  // namespace

OpDef brightness_op() { return define_op<Brightness>(); }

}  // namespace penstock::transform
