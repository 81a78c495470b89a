// What an op is. An op is a copyable struct with
//
//   kName, kDoc, fields(), check()            its options, described as in base/fields.h
//
// and, by what it can answer, one of two kinds:
//
//   geometry op: draw(ImageSize, Rng) -> Geometry or Result<Geometry>, and, if it changes the size,
//                output_size(std::optional<ImageSize>) -> std::optional<ImageSize>
//   colour op:   draw(Rng) -> Colour
//
// define_op<MyOp>() describes it for the catalog.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/fields.h"
#include "penstock/base/result.h"
#include "penstock/base/rng.h"
#include "penstock/transform/colour.h"
#include "penstock/transform/geometry.h"

namespace penstock::transform {

template <class T>
concept DescribedOp = std::copyable<T> && requires(const T op) {
  { T::kName } -> std::convertible_to<std::string_view>;
  { T::kDoc } -> std::convertible_to<std::string_view>;
  T::fields();
  { op.check() } -> std::same_as<Status>;
};

template <class T>
concept GeometryOp = DescribedOp<T> && requires(const T op, ImageSize size, Rng rng) {
  { op.draw(size, rng) } -> std::convertible_to<Result<Geometry>>;
};

template <class T>
concept ColourOp = DescribedOp<T> && requires(const T op, Rng rng) {
  { op.draw(rng) } -> std::same_as<Colour>;
};

enum class OpKind : std::uint8_t { kGeometry, kColour };

// An op with its options, checked. Immutable and safe from any thread.
class Op {
 public:
  virtual ~Op() = default;

  virtual OpKind kind() const = 0;
  // Name and every option, so that equal ops have equal texts.
  virtual OptionText text() const = 0;
  // Only of a geometry op. Fails if the op does not apply to images of this size.
  virtual Result<Geometry> draw_geometry(ImageSize size, Rng rng) const = 0;
  // Only of a colour op.
  virtual Colour draw_colour(Rng rng) const = 0;
  // The size that comes out if `input` goes in; nullopt on either side: it varies.
  virtual std::optional<ImageSize> output_size(std::optional<ImageSize> input) const = 0;
};

// One entry of the catalog.
struct OpDef {
  std::string_view name;
  std::string_view doc;
  OpKind kind = OpKind::kGeometry;
  std::vector<FieldDoc> fields;
  // Fails on an unknown option, a value that does not parse or that check() refuses; the message
  // begins with the op's name.
  Result<std::shared_ptr<const Op>> (*bind)(std::span<const Option> options) = nullptr;
};

namespace op_detail {

template <class T>
class BoundOp final : public Op {
 public:
  explicit BoundOp(T op) : op_(std::move(op)) {}

  OpKind kind() const override { return GeometryOp<T> ? OpKind::kGeometry : OpKind::kColour; }
  OptionText text() const override { return {std::string(T::kName), print_fields(op_)}; }

  Result<Geometry> draw_geometry(ImageSize size, Rng rng) const override {
    if constexpr (GeometryOp<T>) {
      return op_.draw(size, rng);
    } else {
      return internal_error(T::kName, " is no geometry op");
    }
  }

  Colour draw_colour(Rng rng) const override {
    if constexpr (ColourOp<T>) {
      return op_.draw(rng);
    } else {
      return {};
    }
  }

  std::optional<ImageSize> output_size(std::optional<ImageSize> input) const override {
    if constexpr (requires { op_.output_size(input); }) {
      return op_.output_size(input);
    } else {
      return input;
    }
  }

 private:
  T op_;
};

template <class T>
Result<std::shared_ptr<const Op>> bind(std::span<const Option> options) {
  T op;
  PENSTOCK_TRY(parse_fields(options, op).at(T::kName));
  PENSTOCK_TRY(op.check().at(T::kName));
  return std::shared_ptr<const Op>(std::make_shared<BoundOp<T>>(std::move(op)));
}

}  // namespace op_detail

template <class T>
  requires(GeometryOp<T> != ColourOp<T>)
OpDef define_op() {
  return {.name = T::kName,
          .doc = T::kDoc,
          .kind = GeometryOp<T> ? OpKind::kGeometry : OpKind::kColour,
          .fields = field_docs<T>(),
          .bind = &op_detail::bind<T>};
}

}  // namespace penstock::transform
