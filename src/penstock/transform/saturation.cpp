// Makes colours stronger or weaker, at random.
#include "penstock/transform/colour_option.h"
#include "penstock/transform/op.h"

namespace penstock::transform {
namespace {

struct Saturation {
  static constexpr std::string_view kName = "saturation";
  static constexpr std::string_view kDoc =
      "Blend the image with its gray version by a random factor.";

  double amount = 0.4;

  static constexpr auto fields() {
    return std::tuple{Field{"amount", &Saturation::amount,
                            "The factor is drawn from [max(0, 1 - amount), 1 + amount]."}};
  }

  Status check() const { return check_amount("amount", amount); }

  Colour draw(Rng rng) const { return saturated(draw_factor(rng, amount)); }
};

}  // namespace

OpDef saturation_op() { return define_op<Saturation>(); }

}  // namespace penstock::transform
