// Mirrors an image left to right, at random.
#include "penstock/transform/op.h"
#include "penstock/transform/size_option.h"

namespace penstock::transform {
namespace {

struct RandomFlip {
  static constexpr std::string_view kName = "random_flip";
  static constexpr std::string_view kDoc = "Mirror the image left to right, at random.";

  double probability = 0.5;

  static constexpr auto fields() {
    return std::tuple{
        Field{"probability", &RandomFlip::probability, "Chance of a flip, in [0, 1]."}};
  }

  Status check() const { return check_probability(probability); }

  Geometry draw(ImageSize size, Rng rng) const {
    return rng.uniform() < probability ? mirrored(size) : unchanged(size);
  }
};

}  // namespace

OpDef random_flip_op() { return define_op<RandomFlip>(); }

}  // namespace penstock::transform
