// Bytes and text, as they are.
#include <optional>

#include "penstock/pipeline/reader_def.h"

namespace penstock::pipeline {
namespace {

struct BytesOptions {
  std::optional<std::int64_t> length;
  int pad = 0;

  static constexpr auto fields() {
    return std::tuple{Field{"length", &BytesOptions::length,
                            "Samples may have up to this many bytes; the others are filled up."},
                      Field{"pad", &BytesOptions::pad, "What they are filled up with."}};
  }
};

struct NoOptions {
  static constexpr auto fields() { return std::tuple{}; }
};

Status plan_content(const ReaderTask& task, const RowOptions& rows, TextCheck check,
                    FieldPlan& plan) {
  PENSTOCK_TRY(check_holds_bytes(first_info(task, plan)));
  plan.reader = BytesReader{check};
  return plan_rows(rows, DType::kU8, {}, plan);
}

Status plan_bytes(const ReaderTask& task, FieldPlan& plan) {
  PENSTOCK_TRY_ASSIGN(const auto options, parse_options<BytesOptions>(task.spec));
  RowOptions rows{.ragged = true, .length = options.length};
  rows.pad = options.pad;
  return plan_content(task, rows, TextCheck::kNone, plan);
}

template <TextCheck kCheck>
Status plan_text(const ReaderTask& task, FieldPlan& plan) {
  PENSTOCK_TRY(parse_options<NoOptions>(task.spec));
  return plan_content(task, {.ragged = true}, kCheck, plan);
}

}  // namespace

ReaderDef bytes_reader() {
  return {"bytes", "Bytes, as they are.", &field_docs<BytesOptions>, &plan_bytes};
}

ReaderDef text_reader() {
  return {"text", "Text in UTF-8.", &field_docs<NoOptions>, &plan_text<TextCheck::kUtf8>};
}

ReaderDef json_reader() {
  return {"json", "A JSON value.", &field_docs<NoOptions>, &plan_text<TextCheck::kJson>};
}

}  // namespace penstock::pipeline
