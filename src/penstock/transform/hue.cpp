// Turns the colours of an image, at random.
#include "penstock/transform/colour_option.h"
#include "penstock/transform/op.h"

namespace penstock::transform {
namespace {

struct Hue {
  static constexpr std::string_view kName = "hue";
  static constexpr std::string_view kDoc =
      "Turn colours around the gray axis of YIQ by a random angle (torchvision: the hue of HSV).";

  double amount = 0.1;

  static constexpr auto fields() {
    return std::tuple{Field{"amount", &Hue::amount,
                            "The angle is drawn from [-amount, amount], in turns, at most 0.5."}};
  }

  Status check() const { return check_turns("amount", amount); }

  Colour draw(Rng rng) const { return hue_turned(rng.uniform(-amount, amount)); }
};

}  // namespace

OpDef hue_op() { return define_op<Hue>(); }

}  // namespace penstock::transform
