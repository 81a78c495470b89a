// Binding and composing the ops of one image field.
#include "penstock/transform/chain.h"

#include <cmath>
#include <string>

#include "penstock/transform/catalog.h"

namespace penstock::transform {
namespace {

// Far above any batch that fits into memory.
constexpr int kMaxOutputSide = 1 << 16;
// Of what is resampled, with its padding. Keeps coordinates far from overflow.
constexpr int kMaxSourceSide = 1 << 20;

Status check_output(ImageSize size) {
  if (size.width <= kMaxOutputSide && size.height <= kMaxOutputSide) return {};
  return invalid_argument("the output would be ", size.width, "x", size.height, ", at most ",
                          kMaxOutputSide, " a side are possible");
}

Status check_source(const Axis& axis) {
  const double length = axis.canvas.high - axis.canvas.low;
  if (length <= kMaxSourceSide && std::abs(axis.scale) <= kMaxSourceSide) return {};
  return unsupported("the source with its padding is ", length, " pixels long, at most ",
                     kMaxSourceSide, " are possible");
}

Status add_geometry(const Op& op, Rng rng, Geometry& geometry) {
  PENSTOCK_TRY_ASSIGN(const Geometry next, op.draw_geometry(geometry.output_size(), rng));
  PENSTOCK_TRY(check_output(next.output_size()));
  if (geometry.is_padded && next.is_padded && geometry.fill != next.fill) {
    return unsupported("fill is another colour than that of an earlier op");
  }
  geometry = compose(geometry, next);
  PENSTOCK_TRY(check_source(geometry.x));
  return check_source(geometry.y);
}

bool has_one_value(const std::array<double, 3>& values) {
  return values[0] == values[1] && values[1] == values[2];
}

}  // namespace

Result<ImageDraw> Chain::draw(ImageSize size, const RngKey& key) const {
  if (size.width < 1 || size.height < 1) {
    return invalid_argument("the image is ", size.width, "x", size.height,
                            ", expected at least one pixel");
  }
  ImageDraw drawn{.geometry = unchanged(size)};
  RngKey op_key = key;
  for (const auto& op : ops_) {
    const Rng rng(op_key);
    ++op_key.op;
    if (op->kind() == OpKind::kColour) {
      drawn.colour = compose(drawn.colour, op->draw_colour(rng));
    } else if (const Status status = add_geometry(*op, rng, drawn.geometry); !status.ok()) {
      return status.at(op->text().name);
    }
  }
  return drawn;
}

std::optional<ImageSize> Chain::output_size(std::optional<ImageSize> input) const {
  for (const auto& op : ops_) input = op->output_size(input);
  return input;
}

Status Chain::check_format(const PixelFormat& format) const {
  if (is_normalized_ && format.dtype == DType::kU8) {
    return invalid_argument("normalize gives fractions, type is u8, expected f16, bf16 or f32");
  }
  if (normalizes_by_channel_ && format.channels == 1) {
    return invalid_argument("normalize has numbers for 3 channels, the image has 1");
  }
  return {};
}

Result<Chain> make_chain(std::span<const OptionText> ops) {
  Chain chain;
  std::string normalizer;
  for (const OptionText& text : ops) {
    PENSTOCK_TRY_ASSIGN(std::shared_ptr<const Op> op, bind_op(text));
    if (op->kind() == OpKind::kColour) {
      if (!normalizer.empty()) {
        return invalid_argument(text.name, ": comes after ", normalizer,
                                ", expected every colour op before it");
      }
      // Whether an op normalises does not depend on what it draws.
      const Colour colour = op->draw_colour(Rng({}));
      if (colour.is_normalized) normalizer = text.name;
      chain.normalizes_by_channel_ =
          !has_one_value(colour.mean) || !has_one_value(colour.deviation);
    }
    chain.ops_.push_back(std::move(op));
  }
  chain.is_normalized_ = !normalizer.empty();
  return chain;
}

}  // namespace penstock::transform
