// Tables of labels: CSV and JSON lines to rows, and rows to one number for each file.
#include "penstock/source/labels.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

namespace penstock::source {
namespace {

constexpr std::array<std::string_view, 4> kFileNames = {"file", "path", "filename", "image"};
constexpr std::array<std::string_view, 2> kLabelNames = {"label", "class"};
constexpr std::string_view kFileNamesText = "file, path, filename or image";
constexpr std::string_view kLabelNamesText = "label or class";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

std::string at_line(std::uint32_t line) { return concat("line ", line); }

// Digits with or without a sign, whether or not they fit.
bool looks_like_integer(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (stop != end || error != std::errc{}) return std::nullopt;
  return value;
}

struct Row {
  std::string_view file;
  std::string_view label;
  std::uint32_t line = 0;
  bool is_word = false;
};

// A mixture of numbers and words is refused: one typing error would renumber every class.
Status add_row(LabelTable& table, Row row) {
  while (row.file.starts_with("./")) row.file.remove_prefix(2);
  if (row.file.empty()) return corrupt("no file name");
  if (row.label.empty()) return corrupt("no label for ", row.file);
  if (!row.is_word && !parse_integer(row.label)) {
    return corrupt("label ", row.label, " does not fit into 64 bits");
  }
  if (table.lines.empty()) {
    table.has_words = row.is_word;
  } else if (table.has_words != row.is_word) {
    return corrupt("label is '", row.label, "', expected ",
                   table.has_words ? "a word" : "an integer", " as on line ", table.lines.front());
  }
  table.files.push_back(row.file);
  table.labels.push_back(row.label);
  table.lines.push_back(row.line);
  return {};
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Takes CSV apart by RFC 4180, with either kind of line end. Blanks around unquoted fields go.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {}

  // The next record that is not blank, or false at the end.
  Result<bool> next() {
    while (!rest_.empty()) {
      first_line_ = line_;
      fields_.clear();
      bool is_last = false;
      while (!is_last) {
        PENSTOCK_TRY_ASSIGN(is_last, take_field());
      }
      const bool is_blank = fields_.size() == 1 && fields_.front().empty();
      if (!is_blank) return true;
    }
    return false;
  }

  const std::vector<std::string>& fields() const { return fields_; }
  // Where the record began, from 1.
  std::uint32_t line() const { return first_line_; }

 private:
  // True if the field was the last of its record.
  Result<bool> take_field() {
    if (rest_.starts_with('"')) {
      PENSTOCK_TRY(take_quoted());
    } else {
      const std::size_t end = std::min(rest_.find_first_of(",\n"), rest_.size());
      std::string_view field = rest_.substr(0, end);
      if (field.ends_with('\r')) field.remove_suffix(1);
      fields_.emplace_back(without_blanks(field));
      rest_.remove_prefix(end);
    }
    if (rest_.empty()) return true;
    const bool is_last = rest_.front() == '\n';
    line_ += is_last ? 1 : 0;
    rest_.remove_prefix(1);
    return is_last;
  }

  // Leaves a comma, a line end or nothing in front. Two quotes stand for one.
  Status take_quoted() {
    std::string field;
    rest_.remove_prefix(1);
    while (true) {
      const std::size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) return corrupt("a quoted field is not closed");
      field += rest_.substr(0, quote);
      rest_.remove_prefix(quote + 1);
      if (!rest_.starts_with('"')) break;
      field += '"';
      rest_.remove_prefix(1);
    }
    line_ += static_cast<std::uint32_t>(std::ranges::count(field, '\n'));
    fields_.push_back(std::move(field));
    if (rest_.starts_with("\r\n") || rest_ == "\r") rest_.remove_prefix(1);
    if (rest_.empty() || rest_.front() == ',' || rest_.front() == '\n') return {};
    return corrupt("'", rest_.substr(0, 1), "' behind a closing quote, expected a comma");
  }

  std::string_view rest_;
  std::vector<std::string> fields_;
  std::uint32_t line_ = 1;
  std::uint32_t first_line_ = 1;
};

Result<std::size_t> find_column(const std::vector<std::string>& header,
                                std::span<const std::string_view> names,
                                std::string_view names_text) {
  std::string found;
  for (std::size_t i = 0; i < header.size(); ++i) {
    std::string name = header[i];
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (is_one_of(name, names)) return i;
    found += concat(found.empty() ? "" : ", ", header[i]);
  }
  return corrupt("no column named ", names_text, ", found: ", found);
}

// The value of the first name that the object has, or null.
const nlohmann::json* find_member(const nlohmann::json& object,
                                  std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto it = object.find(name); it != object.end()) return &*it;
  }
  return nullptr;
}

Status add_json_row(LabelTable& table, std::string_view text, std::uint32_t line) {
  const nlohmann::json object = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return corrupt("no JSON object, expected {\"file\": , \"label\": }");
  const nlohmann::json* file = find_member(object, kFileNames);
  if (file == nullptr) return corrupt("no member named ", kFileNamesText);
  if (!file->is_string()) return corrupt("file is a ", file->type_name(), ", expected a string");
  const nlohmann::json* label = find_member(object, kLabelNames);
  if (label == nullptr) return corrupt("no member named ", kLabelNamesText);
  const auto& file_text = file->get_ref<const std::string&>();
  if (label->is_string()) {
    return add_row(table, {file_text, label->get_ref<const std::string&>(), line, true});
  }
  if (label->is_number_unsigned()) {
    return add_row(table, {file_text, concat(label->get<std::uint64_t>()), line, false});
  }
  if (label->is_number_integer()) {
    return add_row(table, {file_text, concat(label->get<std::int64_t>()), line, false});
  }
  return corrupt("label is a ", label->is_number() ? "fraction" : label->type_name(),
                 ", expected an integer or a string");
}

// Finds files in path order; rows that stand in the same order are found at once.
class FileFinder {
 public:
  FileFinder(const StringColumn& paths, std::size_t prefix) : paths_(paths), prefix_(prefix) {}

  std::string_view file(std::size_t i) const { return paths_[i].substr(prefix_); }

  std::optional<std::size_t> find(std::string_view wanted) {
    if (next_ >= paths_.size() || file(next_) != wanted) next_ = lower_bound(wanted);
    if (next_ >= paths_.size() || file(next_) != wanted) return std::nullopt;
    return next_++;
  }

 private:
  std::size_t lower_bound(std::string_view wanted) const {
    std::size_t low = 0;
    for (std::size_t count = paths_.size(); count > 0;) {
      const std::size_t half = count / 2;
      const bool is_before = file(low + half) < wanted;
      low = is_before ? low + half + 1 : low;
      count = is_before ? count - half - 1 : half;
    }
    return low;
  }

  const StringColumn& paths_;
  std::size_t prefix_;
  std::size_t next_ = 0;
};

constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

// The first row of each file.
Result<std::vector<std::size_t>> rows_of_files(const LabelTable& table, FileFinder finder,
                                               std::size_t num_files) {
  std::vector<std::size_t> row_of(num_files, kNoRow);
  for (std::size_t row = 0; row < table.files.size(); ++row) {
    const std::string_view name = table.files[row];
    const auto file = finder.find(name);
    if (!file) return invalid_argument(at_line(table.lines[row]), ": no image named ", name);
    std::size_t& known = row_of[*file];
    if (known == kNoRow) known = row;
    if (table.labels[known] != table.labels[row]) {
      return corrupt(at_line(table.lines[row]), ": ", name, " has label ", table.labels[row],
                     ", but ", table.labels[known], " on line ", table.lines[known]);
    }
  }
  for (std::size_t file = 0; file < num_files; ++file) {
    if (row_of[file] == kNoRow) return invalid_argument("no label for ", finder.file(file));
  }
  return row_of;
}

}  // namespace

Result<LabelTable> parse_csv_labels(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  CsvReader reader(text);
  const auto next = [&reader] { return reader.next().at(at_line(reader.line())); };
  PENSTOCK_TRY_ASSIGN(const bool has_header, next());
  if (!has_header) return corrupt("empty, expected a header line such as file,label");
  const std::vector<std::string> header = reader.fields();
  const std::string where = at_line(reader.line());
  PENSTOCK_TRY_ASSIGN(const std::size_t file_column,
                      find_column(header, kFileNames, kFileNamesText).at(where));
  PENSTOCK_TRY_ASSIGN(const std::size_t label_column,
                      find_column(header, kLabelNames, kLabelNamesText).at(where));

  LabelTable table;
  while (true) {
    PENSTOCK_TRY_ASSIGN(const bool has_row, next());
    if (!has_row) return table;
    const std::vector<std::string>& fields = reader.fields();
    if (fields.size() != header.size()) {
      return corrupt(at_line(reader.line()), ": ", fields.size(), " fields, expected ",
                     header.size(), " as in the header");
    }
    const std::string& label = fields[label_column];
    const Row row{fields[file_column], label, reader.line(), !looks_like_integer(label)};
    PENSTOCK_TRY(add_row(table, row).at(at_line(row.line)));
  }
}

Result<LabelTable> parse_json_labels(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  LabelTable table;
  for (std::uint32_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, end);
    if (row.find_first_not_of(" \t\r") != std::string_view::npos) {
      PENSTOCK_TRY(add_json_row(table, row, line).at(at_line(line)));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return table;
}

Result<Labels> labels_of_files(const LabelTable& table, const StringColumn& paths,
                               std::size_t prefix) {
  PENSTOCK_TRY_ASSIGN(const std::vector<std::size_t> row_of,
                      rows_of_files(table, FileFinder(paths, prefix), paths.size()));
  std::map<std::string_view, std::int64_t> numbers;
  for (const std::size_t row : row_of) numbers.emplace(table.labels[row], 0);

  Labels labels;
  for (auto& [label, number] : numbers) {
    number = table.has_words ? static_cast<std::int64_t>(labels.classes.size())
                             : parse_integer(label).value_or(0);
    if (table.has_words) labels.classes.emplace_back(label);
  }
  labels.numbers.reserve(row_of.size());
  for (const std::size_t row : row_of)
    labels.numbers.push_back(numbers.find(table.labels[row])->second);
  return labels;
}

}  // namespace penstock::source
