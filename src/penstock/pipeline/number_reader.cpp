// One number a sample: labels, scores, targets.
#include <algorithm>
#include <array>
#include <optional>

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

// Whether the field holds numbers that convert, one a sample where that is known.
Status check_field(const FieldInfo& info, DType dtype) {
  if (info.kind == FieldKind::kBytes) return {};
  if (info.kind == FieldKind::kFeature) return check_feature_type(info, dtype);
  if (info.shape.rank() != 0) {
    return invalid_argument("rows are ", info.shape.text(), ", expected one number; use array");
  }
  return check_column_type(info, dtype);
}

Status plan_label(const ReaderTask& task, FieldPlan& plan) {
  PENSTOCK_TRY_ASSIGN(const auto options, parse_options<LabelOptions>(task.spec));
  const FieldInfo& info = first_info(task, plan);
  // A column is delivered in its own type.
  plan.dtype = plan.kind == FieldKind::kArray ? info.dtype : DType::kI64;
  PENSTOCK_TRY(check_field(info, plan.dtype));
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
  PENSTOCK_TRY(check_field(first_info(task, plan), plan.dtype));
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
