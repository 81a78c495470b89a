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

// Immutable and safe from any thread.
class Chain {
 public:
  // Composes the ops for an image of this size. `key.op` is the number of the first op; the others
  // count on from it. Fails with kInvalidArgument if an op does not apply to this size, with
  // kUnsupported if two ops pad in different colours.
  Result<ImageDraw> draw(ImageSize size, const RngKey& key) const;

  // The size that every image gets, if the ops fix one whatever comes in; nullopt otherwise.
  std::optional<ImageSize> output_size() const { return output_size(std::nullopt); }
  // The same, if every image that comes in has the size `input`.
  std::optional<ImageSize> output_size(std::optional<ImageSize> input) const;

  bool is_normalized() const { return is_normalized_; }
  // Whether pixels may be asked for in this format: normalised values need a float type, and means
  // of three channels three channels.
  Status check_format(const PixelFormat& format) const;

  std::span<const std::shared_ptr<const Op>> ops() const { return ops_; }

 private:
  friend Result<Chain> make_chain(std::span<const OptionText> ops);
  std::vector<std::shared_ptr<const Op>> ops_;
  bool is_normalized_ = false;
  bool normalizes_by_channel_ = false;
};

// Fails naming the op, the field and the value: "random_flip: probability is 1.5, expected ...".
// Fails if a colour op follows a normalisation.
Result<Chain> make_chain(std::span<const OptionText> ops);

}  // namespace penstock::transform
