// Arrays of numbers: columns in memory, features, .npy files.
#include <utility>

#include "penstock/decode/npy.h"
#include "penstock/pipeline/feature_value.h"
#include "penstock/pipeline/first_value.h"
#include "penstock/pipeline/reader_def.h"

namespace penstock::pipeline {
namespace {

using source::FieldInfo;
using source::FieldKind;

// As the options say, or else as it is otherwise.
Result<Shape> shape_or(const RowOptions& options, const Shape& otherwise) {
  if (!options.shape) return otherwise;
  if (options.shape->size() > Shape::kMaxRank) {
    return invalid_argument("shape has ", options.shape->size(), " sides, expected at most ",
                            Shape::kMaxRank);
  }
  return Shape(*options.shape);
}

Result<DType> dtype_or(const RowOptions& options, DType otherwise) {
  return options.dtype ? parse_dtype(*options.dtype) : otherwise;
}

Status plan_column(const RowOptions& options, const FieldInfo& info, FieldPlan& plan) {
  if (options.has_rows()) {
    return invalid_argument("is a column of rows of one shape; ragged and length are for others");
  }
  PENSTOCK_TRY_ASSIGN(const Shape shape, shape_or(options, info.shape));
  if (shape != info.shape) {
    return invalid_argument("rows are ", info.shape.text(), ", expected ", shape.text());
  }
  PENSTOCK_TRY_ASSIGN(const DType dtype, dtype_or(options, info.dtype));
  PENSTOCK_TRY(check_column_type(info, dtype));
  return plan_rows(options, dtype, shape, plan);
}

Status plan_feature(const RowOptions& options, const FieldInfo& info, FieldPlan& plan) {
  if (!options.shape && !options.has_rows() && info.shape.rank() == 0) {
    return invalid_argument(
        "is a feature, which does not say how many values it has: give shape, ragged or length");
  }
  PENSTOCK_TRY_ASSIGN(const Shape shape,
                      shape_or(options, options.has_rows() ? Shape() : info.shape));
  PENSTOCK_TRY_ASSIGN(const DType dtype, dtype_or(options, info.dtype));
  PENSTOCK_TRY(check_feature_type(info, dtype));
  return plan_rows(options, dtype, shape, plan);
}

Status plan_array(const ReaderTask& task, FieldPlan& plan) {
  PENSTOCK_TRY_ASSIGN(const auto options, parse_options<RowOptions>(task.spec));
  plan.reader = ArrayReader{};
  switch (plan.kind) {
    case FieldKind::kArray:
      return plan_column(options, first_info(task, plan), plan);
    case FieldKind::kFeature:
      return plan_feature(options, first_info(task, plan), plan);
    case FieldKind::kBytes:
      break;
  }
  return invalid_argument("is bytes in a file, expected numbers; for .npy files use npy");
}

// Type and shape of the first file. With has_rows() the shape is that of a row.
Status learn_npy(const ReaderTask& task, const FieldPlan& plan, bool has_rows, DType& dtype,
                 Shape& shape) {
  return learn_from_first(task.source, plan, [&](const FieldValue& value) -> Status {
    std::vector<Bytes> values;
    Bytes bytes = value.bytes;
    if (plan.kind == FieldKind::kFeature) {
      PENSTOCK_TRY_ASSIGN(bytes, only_bytes(value.feature, values));
    }
    PENSTOCK_TRY_ASSIGN(const decode::NpyArray array, decode::parse_npy(bytes));
    if (has_rows && array.shape.rank() == 0) {
      return invalid_argument("is one number, expected an array of rows");
    }
    dtype = array.dtype;
    shape = has_rows ? Shape(array.shape.sides().subspan(1)) : array.shape;
    return {};
  });
}

Status plan_npy(const ReaderTask& task, FieldPlan& plan) {
  PENSTOCK_TRY_ASSIGN(const auto options, parse_options<RowOptions>(task.spec));
  PENSTOCK_TRY(check_holds_bytes(first_info(task, plan)));
  DType dtype = DType::kU8;
  Shape shape;
  if (!options.dtype || !options.shape) {
    PENSTOCK_TRY(learn_npy(task, plan, options.has_rows(), dtype, shape));
  }
  PENSTOCK_TRY_ASSIGN(dtype, dtype_or(options, dtype));
  PENSTOCK_TRY_ASSIGN(shape, shape_or(options, shape));
  plan.reader = NpyReader{.converts = options.dtype.has_value()};
  return plan_rows(options, dtype, shape, plan);
}

}  // namespace

ReaderDef array_reader() {
  return {"array", "Numbers: a column in memory, or a feature.", &field_docs<RowOptions>,
          &plan_array};
}

ReaderDef npy_reader() {
  return {"npy", "An array that numpy saved.", &field_docs<RowOptions>, &plan_npy};
}

}  // namespace penstock::pipeline
