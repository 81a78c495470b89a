// The list of readers, and binding the fields of a Spec to the fields of a source.
#include "penstock/pipeline/readers.h"

#include <array>
#include <utility>

#include "penstock/pipeline/reader_def.h"

namespace penstock::pipeline {
namespace {

using source::FieldInfo;

std::array<ReaderDef, 9> readers() {
  return {image_reader(), label_reader(), number_reader(), array_reader(), npy_reader(),
          bytes_reader(), text_reader(),  json_reader(),   check_reader()};
}

std::vector<std::string_view> split_names(std::string_view names) {
  std::vector<std::string_view> out;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(';'), names.size());
    out.push_back(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return out;
}

std::string known_names(const source::Source& source) {
  std::string out;
  for (const FieldInfo& info : source.fields()) {
    if (!out.empty()) out += ", ";
    out += info.name;
  }
  return out;
}

// The source's fields that the name means; all of one kind.
Status find_source_fields(const FieldSpec& spec, const source::Source& source, FieldPlan& plan) {
  const std::span<const FieldInfo> infos = source.fields();
  for (const std::string_view name : split_names(spec.name)) {
    for (std::size_t i = 0; i < infos.size(); ++i) {
      if (infos[i].name == name) plan.source_fields.push_back(static_cast<int>(i));
    }
  }
  if (plan.source_fields.empty()) {
    return invalid_argument("no sample has a field '", spec.name,
                            "', expected one of: ", known_names(source));
  }
  plan.kind = infos[static_cast<std::size_t>(plan.source_fields[0])].kind;
  for (const int field : plan.source_fields) {
    if (infos[static_cast<std::size_t>(field)].kind != plan.kind) {
      return invalid_argument(
          "'", infos[static_cast<std::size_t>(field)].name, "' is stored in another way than '",
          infos[static_cast<std::size_t>(plan.source_fields[0])].name, "', expected the same");
    }
  }
  return {};
}

Status plan_reader(const ReaderTask& task, FieldPlan& plan) {
  std::string known;
  for (const ReaderDef& reader : readers()) {
    if (reader.name == task.spec.reader.name) return reader.plan(task, plan);
    known += concat(known.empty() ? "" : ", ", reader.name);
  }
  return invalid_argument("no reader '", task.spec.reader.name, "', expected one of: ", known);
}

}  // namespace

const FieldInfo& first_info(const ReaderTask& task, const FieldPlan& plan) {
  return task.source.fields()[static_cast<std::size_t>(plan.source_fields[0])];
}

Result<source::Piece> FieldPlan::locate(const source::Source& source, std::uint64_t sample) const {
  for (std::size_t i = 0; i + 1 < source_fields.size(); ++i) {
    auto piece = source.locate(sample, source_fields[i]);
    if (piece.ok()) return piece;
  }
  return source.locate(sample, source_fields.back());
}

Result<FieldPlan> plan_field(const FieldSpec& spec, const source::Source& source,
                             std::uint16_t first_op) {
  FieldPlan plan;
  plan.name = spec.name;
  const std::string where = concat(spec.reader.name, " '", spec.name, "'");
  PENSTOCK_TRY(find_source_fields(spec, source, plan).at(where));
  PENSTOCK_TRY(plan_reader({spec, source, first_op}, plan).at(where));
  return plan;
}

std::string_view content_name(const FieldPlan& field) {
  if (field.form != Form::kRagged) return "array";
  const auto* bytes = std::get_if<BytesReader>(&field.reader);
  if (bytes == nullptr) return "ragged";
  constexpr std::array<std::string_view, 3> kNames = {"bytes", "text", "json"};
  return kNames[static_cast<std::size_t>(bytes->check)];
}

std::vector<ReaderDoc> reader_docs() {
  std::vector<ReaderDoc> docs;
  for (const ReaderDef& reader : readers()) {
    docs.push_back({reader.name, reader.doc, reader.options()});
  }
  return docs;
}

}  // namespace penstock::pipeline
