// How a reader is defined, and what the definitions share. Inside this layer only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/fields.h"
#include "penstock/base/result.h"
#include "penstock/pipeline/readers.h"
#include "penstock/pipeline/spec.h"
#include "penstock/source/source.h"

namespace penstock::pipeline {

struct ReaderTask {
  const FieldSpec& spec;
  const source::Source& source;
  std::uint16_t first_op = 0;
};

// A kind of reader: an entry of the list in readers.cpp.
struct ReaderDef {
  std::string_view name;
  std::string_view doc;
  std::vector<FieldDoc> (*options)();
  // Fills in the plan, of which name, source_fields and kind are there.
  Status (*plan)(const ReaderTask& task, FieldPlan& plan);
};

ReaderDef image_reader();
ReaderDef label_reader();
ReaderDef number_reader();
ReaderDef array_reader();
ReaderDef npy_reader();
ReaderDef bytes_reader();
ReaderDef text_reader();
ReaderDef json_reader();
ReaderDef check_reader();

// Parses the options of a reader that takes no ops.
template <class Options>
Result<Options> parse_options(const FieldSpec& spec) {
  Options options;
  PENSTOCK_TRY(parse_fields(spec.reader.options, options));
  if (!spec.ops.empty()) return invalid_argument("takes no ops, found ", spec.ops[0].name);
  return options;
}

// The source's description of the field.
const source::FieldInfo& first_info(const ReaderTask& task, const FieldPlan& plan);

// Whether numbers of the column, or of the feature, can be delivered as `dtype`.
Status check_column_type(const source::FieldInfo& info, DType dtype);
Status check_feature_type(const source::FieldInfo& info, DType dtype);
// Whether the field is a file, or a feature of bytes.
Status check_holds_bytes(const source::FieldInfo& info);

// The options of readers whose samples may have different numbers of rows.
struct RowOptions {
  std::optional<std::string> dtype;
  std::optional<std::vector<std::int64_t>> shape;
  bool ragged = false;
  std::optional<std::int64_t> length;
  double pad = 0;

  static constexpr auto fields() {
    return std::tuple{
        Field{"dtype", &RowOptions::dtype, "Type to convert to; none: as it is stored."},
        Field{"shape", &RowOptions::shape,
              "Of one sample; with ragged or length, of one row of it."},
        Field{"ragged", &RowOptions::ragged, "Samples may have different numbers of rows."},
        Field{"length", &RowOptions::length,
              "Samples may have up to this many rows; the others are filled up."},
        Field{"pad", &RowOptions::pad, "What they are filled up with."}};
  }

  bool has_rows() const { return ragged || length; }
};

// A type that numbers may be asked for in.
Result<DType> parse_dtype(std::string_view name);
// The number as one of `dtype`. Fails if that cannot hold it.
Result<Number> make_number(double value, DType dtype);
// Sets type, shape and form: `shape` is that of one sample, or with has_rows() of one row.
Status plan_rows(const RowOptions& options, DType dtype, const Shape& shape, FieldPlan& plan);

}  // namespace penstock::pipeline
