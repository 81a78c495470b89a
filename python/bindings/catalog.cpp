// What can be asked for: ops, readers and sources with their options, as plain Python values.
#include "penstock/transform/catalog.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "bindings.h"
#include "penstock/pipeline/readers.h"
#include "penstock/pipeline/sources.h"

namespace penstock::python {
namespace {

// name, type, default, doc
using OptionRow = std::tuple<std::string, std::string, std::string, std::string>;
// name, doc, options
using Row = std::tuple<std::string, std::string, std::vector<OptionRow>>;

Row row(std::string_view name, std::string_view doc, const std::vector<FieldDoc>& fields) {
  std::vector<OptionRow> options;
  options.reserve(fields.size());
  for (const FieldDoc& field : fields) {
    options.emplace_back(field.name, field.type, field.default_text, field.doc);
  }
  return {std::string(name), std::string(doc), std::move(options)};
}

std::vector<Row> op_rows() {
  std::vector<Row> rows;
  for (const auto& op : transform::ops()) rows.push_back(row(op.name, op.doc, op.fields));
  return rows;
}

std::vector<Row> reader_rows() {
  std::vector<Row> rows;
  for (const auto& reader : pipeline::reader_docs()) {
    rows.push_back(row(reader.name, reader.doc, reader.options));
  }
  return rows;
}

std::vector<Row> source_rows() {
  std::vector<Row> rows;
  for (const auto& source : pipeline::source_docs()) {
    rows.push_back(row(source.kind, source.doc, source.options));
  }
  return rows;
}

// The canonical text of an op given as name and options.
std::string op_text(std::string_view name,
                    const std::vector<std::tuple<std::string, std::string>>& given) {
  OptionText text{std::string(name), {}};
  for (const auto& [option, value] : given) text.options.push_back({option, value});
  return print_option_text(check(transform::bind_op(text))->text());
}

}  // namespace

void bind_catalog(nb::module_& m) {
  m.def("ops", &op_rows, "Every op: name, doc, options (name, type, default, doc).");
  m.def("readers", &reader_rows, "Every reader of a field.");
  m.def("sources", &source_rows, "Every kind of source.");
  m.def("op_text", &op_text, nb::arg("name"), nb::arg("options"),
        "Check an op and give its canonical text.");
}

}  // namespace penstock::python
