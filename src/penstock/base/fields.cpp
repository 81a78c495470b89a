// The text form of described structs: `name option=value option="a value"`.
#include "penstock/base/fields.h"

namespace penstock {
namespace {

bool needs_quotes(std::string_view value) {
  return value.empty() || value.find_first_of(" \t\n\"\\") != std::string_view::npos;
}

void append_quoted(std::string& out, std::string_view value) {
  out += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

std::string_view take_word(std::string_view& text, std::string_view stops) {
  const std::size_t end = std::min(text.find_first_of(stops), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
}

Result<std::string> take_value(std::string_view& text) {
  if (!text.starts_with('"')) return std::string(take_word(text, " \t\n"));
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return value;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    value += text[i];
  }
  return invalid_argument("no closing quote after ", text.substr(0, 20));
}

}  // namespace

Result<OptionText> parse_option_text(std::string_view text) {
  OptionText parsed;
  skip_blanks(text);
  parsed.name = take_word(text, " \t\n");
  if (parsed.name.empty()) return invalid_argument("empty text, expected a name and its options");
  for (skip_blanks(text); !text.empty(); skip_blanks(text)) {
    Option option;
    option.name = take_word(text, "= \t\n");
    if (!text.starts_with('=')) {
      return invalid_argument(parsed.name, ": '", option.name, "' has no value, expected ",
                              option.name, "=value");
    }
    text.remove_prefix(1);
    PENSTOCK_TRY_ASSIGN(option.value, take_value(text).at(parsed.name));
    parsed.options.push_back(std::move(option));
  }
  return parsed;
}

std::string print_option_text(const OptionText& parsed) {
  std::string out = parsed.name;
  for (const Option& option : parsed.options) {
    out += concat(' ', option.name, '=');
    if (needs_quotes(option.value)) {
      append_quoted(out, option.value);
    } else {
      out += option.value;
    }
  }
  return out;
}

namespace field_detail {

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    parts.push_back(take_word(text, ","));
    if (!text.empty()) text.remove_prefix(1);
  }
  return parts;
}

Status unknown_option(const Option& option, std::span<const FieldDoc> known) {
  std::string names;
  for (const FieldDoc& field : known) {
    if (!names.empty()) names += ", ";
    names += field.name;
  }
  if (names.empty()) return invalid_argument("no option '", option.name, "', it takes none");
  return invalid_argument("no option '", option.name, "', expected one of: ", names);
}

}  // namespace field_detail
}  // namespace penstock
