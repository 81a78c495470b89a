// The ops of one image field, bound, checked and composed: one draw of numbers, one pass over
// pixels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/fields.h"
#include "penstock/base/result.h"
#include "penstock/base/rng.h"
#include "penstock/transform/colour.h"
#include "penstock/transform/geometry.h"
#include "penstock/transform/op.h"
#include "penstock/transform/render.h"

namespace penstock::transform {

// What happens to one image: drawn before a pixel is decoded.
struct ImageDraw {
  Geometry geometry;
  Colour colour;
};

class Chain {
 public:
  // Composes the ops for an image of this size. `key.op` is the number of the first op; the others
  // count on from it.
  Result<ImageDraw> draw(ImageSize size, const RngKey& key) const;

  // The size that every image gets, if the ops fix one whatever comes in; nullopt otherwise.
  std::optional<ImageSize> output_size() const;

 private:
  friend Result<Chain> make_chain(std::span<const OptionText> ops);
  std::vector<std::shared_ptr<const Op>> ops_;
};

// Fails naming the op, the field and the value: "random_flip: probability is 1.5, expected ...".
Result<Chain> make_chain(std::span<const OptionText> ops);

// The pixels of the source that `geometry` touches, and the coarsest decode that does it justice.
ImageRequest needed_part(const Geometry& geometry);

}  // namespace penstock::transform
