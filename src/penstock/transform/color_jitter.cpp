// Changes brightness, contrast, saturation and hue, at random.
#include "penstock/transform/colour_option.h"
#include "penstock/transform/op.h"

namespace penstock::transform {
namespace {

struct ColorJitter {
  static constexpr std::string_view kName = "color_jitter";
  static constexpr std::string_view kDoc =
      "Change brightness, contrast, saturation and hue by random amounts, in random order.";

  double brightness = 0;
  double contrast = 0;
  double saturation = 0;
  double hue = 0;

  static constexpr auto fields() {
    return std::tuple{
        Field{"brightness", &ColorJitter::brightness,
              "The factor is drawn from [max(0, 1 - brightness), 1 + brightness]."},
        Field{"contrast", &ColorJitter::contrast, "Likewise, around the fixed middle 0.5."},
        Field{"saturation", &ColorJitter::saturation, "Likewise."},
        Field{"hue", &ColorJitter::hue, "Drawn from [-hue, hue], in turns, at most 0.5."}};
  }

  Status check() const {
    PENSTOCK_TRY(check_amount("brightness", brightness));
    PENSTOCK_TRY(check_amount("contrast", contrast));
    PENSTOCK_TRY(check_amount("saturation", saturation));
    return check_turns("hue", hue);
  }

  Colour draw(Rng rng) const {
    std::array<Colour, 4> steps = {
        brightened(draw_factor(rng, brightness)), contrasted(draw_factor(rng, contrast), 0.5),
        saturated(draw_factor(rng, saturation)), hue_turned(rng.uniform(-hue, hue))};
    for (std::uint32_t left = 4; left > 1; --left) {
      std::swap(steps[left - 1], steps[rng.below(left)]);
    }
    Colour colour = steps[0];
    for (std::size_t i = 1; i < 4; ++i) colour = compose(colour, steps[i]);
    return colour;
  }
};

}  // namespace

OpDef color_jitter_op() { return define_op<ColorJitter>(); }

}  // namespace penstock::transform
