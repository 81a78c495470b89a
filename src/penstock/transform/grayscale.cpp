// Takes the colour out of an image, at random.
#include "penstock/transform/op.h"
#include "penstock/transform/size_option.h"

namespace penstock::transform {
namespace {

struct Grayscale {
  static constexpr std::string_view kName = "grayscale";
  static constexpr std::string_view kDoc =
      "Take the colour out of the image, at random; three equal channels stay.";

  double probability = 1;

  static constexpr auto fields() {
    return std::tuple{Field{"probability", &Grayscale::probability,
                            "Chance that the image becomes gray, in [0, 1]."}};
  }

  Status check() const { return check_probability(probability); }

  Colour draw(Rng rng) const { return rng.uniform() < probability ? saturated(0) : Colour{}; }
};

}  // namespace

OpDef grayscale_op() { return define_op<Grayscale>(); }

}  // namespace penstock::transform
