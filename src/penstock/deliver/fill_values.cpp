// Numbers, arrays and text: into the slot, padded, or as rows of a ragged field.
#include <algorithm>
#include <cstring>

#include "penstock/decode/convert.h"
#include "penstock/decode/json.h"
#include "penstock/decode/npy.h"
#include "penstock/decode/number.h"
#include "penstock/decode/utf8.h"
#include "penstock/deliver/fill_field.h"
#include "penstock/pipeline/feature_value.h"

namespace penstock::deliver {
namespace {

using pipeline::Form;
using source::FieldKind;

// "6", or "3x2 = 6".
std::string count_text(const Shape& shape) {
  return shape.rank() < 2 ? concat(shape.size()) : concat(shape.text(), " = ", shape.size());
}

// Writes `number` over and over.
void fill_up(MutableBytes out, Bytes number) {
  if (std::ranges::count(number, number[0]) == std::ssize(number)) {
    std::ranges::fill(out, number[0]);
    return;
  }
  for (std::size_t i = 0; i < out.size(); i += number.size()) {
    std::memcpy(out.data() + i, number.data(), number.size());
  }
}

// Room for so many rows. Of a padded field the others are filled up, and the length is noted.
Result<MutableBytes> open_rows(const FieldPlace& place, std::size_t num_rows) {
  const pipeline::FieldPlan& field = place.field;
  batch::Batch& batch = *place.sample.batch;
  if (field.form == Form::kRagged) {
    return batch.rows(field.layout_field, place.sample.index, num_rows);
  }
  const MutableBytes out = place.slot();
  if (field.form == Form::kFixed) return out;

  const auto max_rows = static_cast<std::size_t>(field.shape[0]);
  if (num_rows > max_rows) {
    return invalid_argument("is ", num_rows, " long, expected at most ", max_rows);
  }
  const std::size_t used = out.size() / max_rows * num_rows;
  fill_up(out.subspan(used), Bytes(field.pad).first(size_bytes(field.dtype)));
  const auto length = static_cast<std::int64_t>(num_rows);
  std::memcpy(batch.sample(field.layout_field + 1, place.sample.index).data(), &length,
              sizeof length);
  return out.first(used);
}

// Room for so many numbers, which must be those of the field's shape, or whole rows.
Result<MutableBytes> open_values(const FieldPlace& place, std::size_t count) {
  const pipeline::FieldPlan& field = place.field;
  if (field.form == Form::kFixed) {
    if (count == field.shape.size()) return place.slot();
    return corrupt("has ", count, " values, expected ", count_text(field.shape));
  }
  const Shape row = field.row_shape();
  if (count % row.size() != 0) {
    return corrupt("has ", count, " values, expected a multiple of ", count_text(row));
  }
  return open_rows(place, count / row.size());
}

template <class T>
Status read_numbers(const FieldPlace& place, DType type, std::vector<T>& scratch,
                    MutableBytes out) {
  const DType wanted = place.field.dtype;
  const std::size_t count = out.size() / size_bytes(wanted);
  // Every field is aligned for its numbers.
  if (type == wanted) {
    return format::read_values(place.feature, std::span(reinterpret_cast<T*>(out.data()), count));
  }
  scratch.resize(count);
  PENSTOCK_TRY(format::read_values(place.feature, std::span<T>(scratch)));
  return decode::convert_numbers(type, std::as_bytes(std::span(scratch)), wanted, out);
}

Status fill_feature(const FieldPlace& place) {
  PENSTOCK_TRY_ASSIGN(const DType type, pipeline::number_type(place.feature));
  PENSTOCK_TRY_ASSIGN(const std::uint64_t count, format::count_values(place.feature));
  PENSTOCK_TRY_ASSIGN(const MutableBytes out, open_values(place, count));
  return type == DType::kI64 ? read_numbers(place, type, place.scratch.whole_numbers, out)
                             : read_numbers(place, type, place.scratch.real_numbers, out);
}

Status fill_column(const FieldPlace& place) {
  const auto& info =
      place.plan.source().fields()[static_cast<std::size_t>(place.field.source_fields[0])];
  return decode::convert_numbers(info.dtype, place.bytes, place.field.dtype, place.slot());
}

Status fill_number_text(const FieldPlace& place) {
  const DType dtype = place.field.dtype;
  if (dtype == DType::kI32 || dtype == DType::kI64) {
    PENSTOCK_TRY_ASSIGN(const std::int64_t value, decode::decode_integer(place.bytes));
    return decode::convert_numbers(DType::kI64, std::as_bytes(std::span(&value, 1)), dtype,
                                   place.slot());
  }
  PENSTOCK_TRY_ASSIGN(const double value, decode::decode_real(place.bytes));
  return decode::convert_numbers(DType::kF64, std::as_bytes(std::span(&value, 1)), dtype,
                                 place.slot());
}

// Whether the array has the field's shape, or rows of it.
Status check_shape(const decode::NpyArray& array, const pipeline::FieldPlan& field) {
  if (field.form == Form::kFixed) {
    if (array.shape == field.shape) return {};
    return corrupt("is ", array.shape.text(), ", expected ", field.shape.text());
  }
  const Shape row = field.row_shape();
  if (array.shape.rank() > 0 && Shape(array.shape.sides().subspan(1)) == row) return {};
  return corrupt("is ", array.shape.text(), ", expected any number of rows of ", row.text());
}

}  // namespace

Result<Bytes> encoded_bytes(const FieldPlace& place) {
  if (place.field.kind != FieldKind::kFeature) return place.bytes;
  return pipeline::only_bytes(place.feature, place.scratch.values);
}

Status fill_number(const pipeline::NumberReader&, const FieldPlace& place) {
  switch (place.field.kind) {
    case FieldKind::kArray:
      return fill_column(place);
    case FieldKind::kFeature:
      return fill_feature(place);
    case FieldKind::kBytes:
      break;
  }
  return fill_number_text(place);
}

Status fill_array(const pipeline::ArrayReader&, const FieldPlace& place) {
  return place.field.kind == FieldKind::kArray ? fill_column(place) : fill_feature(place);
}

Status fill_npy(const pipeline::NpyReader& reader, const FieldPlace& place) {
  PENSTOCK_TRY_ASSIGN(const Bytes bytes, encoded_bytes(place));
  PENSTOCK_TRY_ASSIGN(const decode::NpyArray array, decode::parse_npy(bytes));
  const pipeline::FieldPlan& field = place.field;
  if (array.dtype != field.dtype && !reader.converts) {
    return corrupt("is of ", dtype_name(array.dtype), ", expected ", dtype_name(field.dtype),
                   " as in the first sample; give dtype to convert");
  }
  PENSTOCK_TRY(check_shape(array, field));
  PENSTOCK_TRY_ASSIGN(
      const MutableBytes out,
      open_rows(place, field.form == Form::kFixed ? 0 : static_cast<std::size_t>(array.shape[0])));
  PENSTOCK_TRY(decode::convert_numbers(array.dtype, array.values, field.dtype, out));
  place.clock.lap(Stage::kDecode);
  return {};
}

Status fill_bytes(const pipeline::BytesReader& reader, const FieldPlace& place) {
  PENSTOCK_TRY_ASSIGN(const Bytes bytes, encoded_bytes(place));
  switch (reader.check) {
    case pipeline::TextCheck::kUtf8:
      PENSTOCK_TRY(decode::check_utf8(bytes));
      break;
    case pipeline::TextCheck::kJson:
      PENSTOCK_TRY(decode::check_json(bytes));
      break;
    case pipeline::TextCheck::kNone:
      break;
  }
  PENSTOCK_TRY_ASSIGN(const MutableBytes out, open_rows(place, bytes.size()));
  if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  place.clock.lap(Stage::kDecode);
  return {};
}

}  // namespace penstock::deliver
