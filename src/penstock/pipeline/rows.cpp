// The options that readers of numbers share.
#include <cmath>
#include <cstring>
#include <limits>

#include "penstock/decode/convert.h"
#include "penstock/pipeline/reader_def.h"

namespace penstock::pipeline {
namespace {

// More than any batch has room for, and far from overflow.
constexpr std::int64_t kMaxSampleBytes = std::int64_t{1} << 40;

Status check_sides(const Shape& shape, DType dtype) {
  auto bytes = static_cast<std::int64_t>(size_bytes(dtype));
  for (const std::int64_t side : shape.sides()) {
    if (side < 1) {
      return invalid_argument("shape is ", shape.text(), ", expected sides of 1 or more");
    }
    if (side > kMaxSampleBytes / bytes) {
      return invalid_argument("a sample of ", shape.text(), " of ", dtype_name(dtype),
                              " is too large");
    }
    bytes *= side;
  }
  return {};
}

Result<Shape> padded_shape(const RowOptions& options, const Shape& row) {
  if (*options.length < 1) {
    return invalid_argument("length is ", *options.length, ", expected 1 or more");
  }
  if (row.rank() == Shape::kMaxRank) {
    return invalid_argument("rows are ", row.text(), ", expected at most ", Shape::kMaxRank - 1,
                            " dimensions with length");
  }
  std::vector<std::int64_t> sides = {*options.length};
  sides.insert(sides.end(), row.sides().begin(), row.sides().end());
  return Shape(sides);
}

bool is_whole_type(DType dtype) {
  return dtype == DType::kU8 || dtype == DType::kI32 || dtype == DType::kI64;
}

}  // namespace

Status check_column_type(const source::FieldInfo& info, DType dtype) {
  if (decode::can_convert(info.dtype, dtype)) return {};
  return invalid_argument("rows are ", dtype_name(info.dtype), ", which do not convert to ",
                          dtype_name(dtype));
}

Status check_feature_type(const source::FieldInfo& info, DType dtype) {
  if (info.dtype == DType::kU8) {
    return invalid_argument("is a feature of bytes, expected numbers; use bytes, text or npy");
  }
  if (decode::can_convert(info.dtype, dtype)) return {};
  return invalid_argument("is a feature of ", info.dtype == DType::kI64 ? "int64" : "float",
                          ", which does not convert to ", dtype_name(dtype));
}

Status check_holds_bytes(const source::FieldInfo& info) {
  if (info.kind == source::FieldKind::kArray) {
    return invalid_argument("is an array in memory, expected bytes; use array");
  }
  if (info.kind == source::FieldKind::kFeature && info.dtype != DType::kU8) {
    return invalid_argument("is a feature of numbers, expected bytes; use number or array");
  }
  return {};
}

Result<DType> parse_dtype(std::string_view name) {
  const std::optional<DType> dtype = dtype_from_name(name);
  if (dtype && *dtype != DType::kBF16) return *dtype;
  return invalid_argument("dtype is ", name, ", expected u8, i32, i64, f16, f32 or f64");
}

Result<Number> make_number(double value, DType dtype) {
  Number number{};
  const MutableBytes out = MutableBytes(number).first(size_bytes(dtype));
  if (dtype == DType::kF32 || dtype == DType::kF64) {
    PENSTOCK_TRY(
        decode::convert_numbers(DType::kF64, std::as_bytes(std::span(&value, 1)), dtype, out));
    return number;
  }
  if (!is_whole_type(dtype)) {
    // Of a half only zero is the same in bits.
    if (value == 0) return number;
    return invalid_argument(value, " cannot be written as ", dtype_name(dtype), ", expected 0");
  }
  // Whole numbers up to 2^53 are exact.
  constexpr double kMaxWhole = 9007199254740992;
  if (value != std::trunc(value) || std::abs(value) > kMaxWhole) {
    return invalid_argument(value, " is not a whole number of ", dtype_name(dtype));
  }
  const auto whole = static_cast<std::int64_t>(value);
  if (!decode::convert_numbers(DType::kI64, std::as_bytes(std::span(&whole, 1)), dtype, out).ok()) {
    return invalid_argument(value, " does not fit ", dtype_name(dtype));
  }
  return number;
}

Status plan_rows(const RowOptions& options, DType dtype, const Shape& shape, FieldPlan& plan) {
  plan.dtype = dtype;
  plan.shape = shape;
  plan.form = options.length ? Form::kPadded : options.ragged ? Form::kRagged : Form::kFixed;
  if (options.length) {
    PENSTOCK_TRY_ASSIGN(plan.shape, padded_shape(options, shape));
    PENSTOCK_TRY_ASSIGN(plan.pad, make_number(options.pad, dtype).at("pad"));
  } else if (options.pad != 0) {
    return invalid_argument("pad is ", options.pad, " without a length to fill up to");
  }
  return check_sides(plan.shape, dtype);
}

}  // namespace penstock::pipeline
