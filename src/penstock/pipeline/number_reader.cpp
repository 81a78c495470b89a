// One number a sample: labels, scores, targets.
#include <optional>

#include "penstock/decode/convert.h"
#include "penstock/pipeline/reader_def.h"

namespace penstock::pipeline {
namespace {

using source::FieldInfo;
using source::FieldKind;

struct LabelOptions {
  std::optional<std::int64_t> fallback;

  static constexpr auto fields() {
    return std::tuple{Field{"default", &LabelOptions::fallback,
                            "Of samples that lack the field; none: they are errors."}};
  }
};

enum class NumberType : std::uint8_t { kF32, kF64, kI32, kI64 };
constexpr std::array<std::string_view, 4> enum_names(NumberType) {
  return {"f32", "f64", "i32", "i64"};
}
constexpr std::array kNumberTypes = {DType::kF32, DType::kF64, DType::kI32, DType::kI64};

struct NumberOptions {
  NumberType dtype = NumberType::kF32;
  std::optional<double> fallback;

  static constexpr auto fields() {
    return std::tuple{Field{"dtype", &NumberOptions::dtype, "Type of the number."},
                      Field{"default", &NumberOptions::fallback,
                            "Of samples that lack the field; none: they are errors."}};
  }
};

// Numbers in memory: one a sample, of a type that converts.
Status check_column(const FieldInfo& info, DType dtype) {
  if (info.shape.rank() != 0) {
    return invalid_argument("rows are ", info.shape.text(), ", expected one number; use array");
  }
  if (!decode::can_convert(info.dtype, dtype)) {
    return invalid_argument("rows are ", dtype_name(info.dtype), ", which do not convert to ",
                            dtype_name(dtype));
  }
  return {};
}

Status plan_label(const ReaderTask& task, FieldPlan& plan) {
  PENSTOCK_TRY_ASSIGN(const auto options, parse_options<LabelOptions>(task.spec));
  plan.dtype = DType::kI64;
  if (plan.kind == FieldKind::kArray) {
    // A column is delivered in its own type.
    plan.dtype = first_info(task, plan).dtype;
    PENSTOCK_TRY(check_column(first_info(task, plan), plan.dtype));
  }
  NumberReader reader;
  if (options.fallback) {
    std::ranges::copy(std::as_bytes(std::span(&*options.fallback, 1)),
                      reader.fallback.emplace().begin());
  }
  plan.reader = reader;
  return {};
}

Status plan_number(const ReaderTask& task, FieldPlan& plan) {
  PENSTOCK_TRY_ASSIGN(const auto options, parse_options<NumberOptions>(task.spec));
  plan.dtype = kNumberTypes[static_cast<std::size_t>(options.dtype)];
  if (plan.kind == FieldKind::kArray) {
    PENSTOCK_TRY(check_column(first_info(task, plan), plan.dtype));
  }
  NumberReader reader;
  if (options.fallback) {
    PENSTOCK_TRY_ASSIGN(reader.fallback, make_number(*options.fallback, plan.dtype).at("default"));
  }
  plan.reader = reader;
  return {};
}

}  // namespace

ReaderDef label_reader() {
  return {"label", "A whole number.", &field_docs<LabelOptions>, &plan_label};
}

ReaderDef number_reader() {
  return {"number", "A number.", &field_docs<NumberOptions>, &plan_number};
}

}  // namespace penstock::pipeline
