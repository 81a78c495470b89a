// Parses arbitrary text as a table of labels, as CSV and as JSON lines. What is accepted must have
// one row for each line counted, and can be joined with the files it names.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "penstock/source/labels.h"

namespace {

using penstock::source::LabelTable;

// Aborts on a broken promise.
void require(bool is_true) {
  if (!is_true) std::abort();
}

void check(const penstock::Result<LabelTable>& table) {
  if (!table.ok()) {
    require(!table.status().message().empty());
    return;
  }
  require(table->labels.size() == table->files.size());
  require(table->lines.size() == table->files.size());
  require(std::ranges::is_sorted(table->lines));

  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < table->files.size(); ++i) names.push_back(table->files[i]);
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  penstock::source::StringColumn files;
  for (const std::string_view name : names) files.push_back(name);
  const auto labels = penstock::source::labels_of_files(*table, files, 0);
  // A file may have two labels, and nothing else may be wrong.
  if (labels.ok()) {
    require(labels->numbers.size() == files.size());
    require(labels->classes.empty() || table->has_words);
  } else {
    require(labels.status().code() == penstock::Code::kCorrupt);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(penstock::source::parse_csv_labels(text));
  check(penstock::source::parse_json_labels(text));
  return 0;
}
