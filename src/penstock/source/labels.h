// Which class each image of a folder has: by its folder, or by a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/source/string_column.h"

namespace penstock::source {

struct Labels {
  std::vector<std::int64_t> numbers;  // one for each image
  std::vector<std::string> classes;   // names by number; empty if the table gives numbers
};

// The rows of a table in the order they stand. Labels are all numbers or all words.
struct LabelTable {
  StringColumn files;  // relative to the folder of images
  StringColumn labels;
  std::vector<std::uint32_t> lines;  // of each row, from 1
  bool has_words = false;
};

// Comma-separated, with a header line that names a column file, path, filename or image, and a
// column label or class, in upper or lower case; others are passed over. Fields may be quoted.
// Fails with kCorrupt, naming the line.
Result<LabelTable> parse_csv_labels(std::string_view text);

// One JSON object on a line, {"file": "cat/17.jpg", "label": 3}, with the names of the columns
// above. A label in quotes is a word, even "3". Fails with kCorrupt, naming the line.
Result<LabelTable> parse_json_labels(std::string_view text);

// The label of each file: file i is paths[i] behind its first `prefix` characters, in path order.
// Numbers are taken as they are; words are numbered in sorted order. Fails if a file has no row, a
// row no file, or a file two labels.
Result<Labels> labels_of_files(const LabelTable& table, const StringColumn& paths,
                               std::size_t prefix);

}  // namespace penstock::source
