// Content that is looked at and not delivered: what `penstock verify` reads.
#include <algorithm>
#include <array>
#include <utility>

#include "penstock/pipeline/reader_def.h"

namespace penstock::pipeline {
namespace {

struct NoOptions {
  static constexpr auto fields() { return std::tuple{}; }
};

// By the last part of a field's name: "jpg", "seg.png", "image/encoded".
constexpr std::array<std::pair<std::string_view, Content>, 18> kContents = {{
    {"image", Content::kImage},
    {"encoded", Content::kImage},
    {"jpg", Content::kImage},
    {"jpeg", Content::kImage},
    {"png", Content::kImage},
    {"webp", Content::kImage},
    {"tif", Content::kImage},
    {"tiff", Content::kImage},
    {"bmp", Content::kImage},
    {"gif", Content::kImage},
    {"json", Content::kJson},
    {"txt", Content::kText},
    {"text", Content::kText},
    {"cls", Content::kNumber},
    {"cls2", Content::kNumber},
    {"index", Content::kNumber},
    {"inx", Content::kNumber},
    {"npy", Content::kNpy},
}};

Content content_of(std::string_view name) {
  name.remove_prefix(std::min(name.find_last_of("./") + 1, name.size()));
  for (const auto& [ending, content] : kContents) {
    if (name == ending) return content;
  }
  return Content::kAny;
}

Status plan_check(const ReaderTask& task, FieldPlan& plan) {
  PENSTOCK_TRY(parse_options<NoOptions>(task.spec));
  plan.reader = CheckReader{content_of(plan.name)};
  return plan_rows({.ragged = true}, DType::kU8, {}, plan);
}

}  // namespace

ReaderDef check_reader() {
  return {"check", "Nothing, once the content was found to be what the field's name says.",
          &field_docs<NoOptions>, &plan_check};
}

}  // namespace penstock::pipeline
