// Expands braces, counts and wildcards. Wildcards are matched folder by folder, so that a pattern
// never lists more of a tree than it can match.
#include "penstock/source/urls.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "penstock/source/path.h"

namespace penstock::source {
namespace {

constexpr std::size_t kMaxPaths = 1'000'000;
constexpr int kMaxDepth = 64;  // of folders below a **; links may form a loop

using Texts = std::vector<std::string>;

Status too_many_paths() { return invalid_argument("stands for more than ", kMaxPaths, " paths"); }

std::optional<std::uint64_t> parse_number(std::string_view digits) {
  std::uint64_t value = 0;
  const char* begin = digits.data();
  const char* end = begin + digits.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (digits.empty() || stop != end || error != std::errc{}) return std::nullopt;
  return value;
}

std::string padded(std::uint64_t value, std::size_t width) {
  std::string digits = concat(value);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

// "000..999" becomes 000, 001, ... 999; nullopt if it is not a range. Zeros in front set the width.
std::optional<Result<Texts>> expand_range(std::string_view inner) {
  const std::size_t dots = inner.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::string_view first_text = inner.substr(0, dots);
  const std::string_view last_text = inner.substr(dots + 2);
  const auto first = parse_number(first_text);
  const auto last = parse_number(last_text);
  if (!first || !last) return std::nullopt;
  const auto [low, high] = std::minmax(*first, *last);
  if (high - low >= kMaxPaths) return too_many_paths();

  const auto is_padded = [](std::string_view text) { return text.size() > 1 && text[0] == '0'; };
  const std::size_t width = is_padded(first_text) || is_padded(last_text)
                                ? std::max(first_text.size(), last_text.size())
                                : 0;
  Texts numbers;
  for (std::uint64_t offset = 0; offset <= high - low; ++offset) {
    numbers.push_back(padded(*first <= *last ? low + offset : high - offset, width));
  }
  return numbers;
}

// The position of the brace that closes the one at `open`, or npos.
std::size_t closing_brace(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// At commas that stand in no inner brace.
std::vector<std::string_view> split_at_commas(std::string_view inner) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '{') ++depth;
    if (inner[i] == '}') --depth;
    if (inner[i] == ',' && depth == 0) {
      parts.push_back(inner.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(inner.substr(begin));
  return parts;
}

// Every text of `heads` followed by every text of `tails`.
Result<Texts> product(const Texts& heads, const Texts& tails) {
  if (!tails.empty() && heads.size() > kMaxPaths / tails.size()) return too_many_paths();
  Texts texts;
  texts.reserve(heads.size() * tails.size());
  for (const std::string& head : heads) {
    for (const std::string& tail : tails) texts.push_back(head + tail);
  }
  return texts;
}

Result<Texts> expand_braces(std::string_view text, int depth);

// What the braces around `inner` stand for.
Result<Texts> expand_group(std::string_view inner, int depth) {
  if (auto range = expand_range(inner)) return *std::move(range);
  const std::vector<std::string_view> parts = split_at_commas(inner);
  Texts texts;
  for (const std::string_view part : parts) {
    PENSTOCK_TRY_ASSIGN(Texts expanded, expand_braces(part, depth + 1));
    if (texts.size() + expanded.size() > kMaxPaths) return too_many_paths();
    std::ranges::move(expanded, std::back_inserter(texts));
  }
  if (parts.size() == 1) {
    for (std::string& only : texts) only = concat('{', only, '}');
  }
  return texts;
}

Result<Texts> expand_braces(std::string_view text, int depth) {
  if (depth > kMaxDepth) return invalid_argument("braces lie more than ", kMaxDepth, " deep");
  Texts texts{""};
  while (true) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : closing_brace(text, open);
    if (close == std::string_view::npos) return product(texts, {std::string(text)});
    PENSTOCK_TRY_ASSIGN(texts, product(texts, {std::string(text.substr(0, open))}));
    PENSTOCK_TRY_ASSIGN(const Texts group,
                        expand_group(text.substr(open + 1, close - open - 1), depth));
    PENSTOCK_TRY_ASSIGN(texts, product(texts, group));
    text.remove_prefix(close + 1);
  }
}

// "a-@0100.tar" becomes a-0000.tar ... a-0099.tar. Only in the last part of the path, so that a
// folder or a host may hold an @.
Result<Texts> expand_count(const std::string& text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || text.find('/', at) != std::string::npos) return Texts{text};
  const std::size_t end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
  const std::size_t width = end - at - 1;
  if (width == 0) return Texts{text};
  const auto count = parse_number(std::string_view(text).substr(at + 1, width));
  if (!count || *count > kMaxPaths) return too_many_paths();
  if (*count == 0) return invalid_argument("counts no shards, expected 1 or more behind the @");
  Texts texts;
  for (std::uint64_t i = 0; i < *count; ++i) {
    texts.push_back(text.substr(0, at) + padded(i, width) + text.substr(end));
  }
  return texts;
}

std::size_t first_wildcard(std::string_view text) { return text.find_first_of("*?["); }

bool has_wildcard(std::string_view text) { return first_wildcard(text) != std::string_view::npos; }

// A set such as [a-z] or [!abc] at the start of `pattern`: whether `c` is in it, and its length;
// nullopt if the bracket is not closed and so stands for itself.
struct SetMatch {
  bool is_member = false;
  std::size_t length = 0;
};
std::optional<SetMatch> match_set(std::string_view pattern, char c) {
  std::size_t i = 1;
  const bool is_negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (is_negated) ++i;
  bool found = false;
  for (const std::size_t first = i; i < pattern.size(); ++i) {
    if (pattern[i] == ']' && i > first) return SetMatch{found != is_negated, i + 1};
    char high = pattern[i];
    const char low = pattern[i];
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      high = pattern[i + 2];
      i += 2;
    }
    found = found || (low <= c && c <= high);
  }
  return std::nullopt;
}

// How much of `pattern` one character takes: 0 if they do not match.
std::size_t match_one(std::string_view pattern, char c) {
  if (pattern.empty()) return 0;
  if (pattern[0] == '?') return 1;
  if (pattern[0] == '[') {
    if (const auto set = match_set(pattern, c)) return set->is_member ? set->length : 0;
  }
  return pattern[0] == c ? 1 : 0;
}

// Walks the folders that a pattern can match.
class Glob {
 public:
  explicit Glob(const storage::Storage& storage) : storage_(storage) {}

  // Everything that matches `pattern` at or below `folder`.
  Status walk(const std::string& folder, std::string_view pattern, int depth) {
    if (depth > kMaxDepth) {
      return invalid_argument(folder, ": more than ", kMaxDepth,
                              " folders deep, which may be a loop of links");
    }
    const std::size_t slash = pattern.find('/');
    const std::string_view part = pattern.substr(0, slash);
    if (slash == std::string_view::npos) return match_objects(folder, part, depth);
    const std::string_view rest = pattern.substr(slash + 1);
    if (part == "**") return match_any_depth(folder, pattern, rest, depth);
    if (!has_wildcard(part)) return walk(join_path(folder, part), rest, depth + 1);
    return match_folders(folder, part, rest, depth);
  }

  std::vector<storage::ObjectInfo> take_matches() && {
    std::ranges::sort(matches_, {}, &storage::ObjectInfo::path);
    const auto repeated = std::ranges::unique(matches_, {}, &storage::ObjectInfo::path);
    matches_.erase(repeated.begin(), repeated.end());
    return std::move(matches_);
  }

 private:
  // A folder that is not there has no matches.
  Result<storage::FolderListing> list(const std::string& folder) {
    auto listing = storage_.list_folder(folder);
    if (listing.status().code() == Code::kNotFound) return storage::FolderListing{};
    return listing;
  }

  Status match_objects(const std::string& folder, std::string_view part, int depth) {
    if (part == "**") return match_any_depth(folder, "**", "*", depth);
    PENSTOCK_TRY_ASSIGN(storage::FolderListing listing, list(folder));
    for (storage::ObjectInfo& object : listing.objects) {
      if (matches_name(part, base_name(object.path))) matches_.push_back(std::move(object));
    }
    return {};
  }

  Status match_folders(const std::string& folder, std::string_view part, std::string_view rest,
                       int depth) {
    PENSTOCK_TRY_ASSIGN(const storage::FolderListing listing, list(folder));
    for (const std::string& inner : listing.folders) {
      if (matches_name(part, base_name(inner))) PENSTOCK_TRY(walk(inner, rest, depth + 1));
    }
    return {};
  }

  Status match_any_depth(const std::string& folder, std::string_view pattern, std::string_view rest,
                         int depth) {
    PENSTOCK_TRY(walk(folder, rest, depth + 1));
    return match_folders(folder, "*", pattern, depth);
  }

  const storage::Storage& storage_;
  std::vector<storage::ObjectInfo> matches_;
};

using Objects = std::vector<storage::ObjectInfo>;

// `object` is what lies at the path.
Result<Objects> expand_path(const storage::Storage& storage, const std::string& path,
                            const std::string& url, Result<storage::ObjectInfo> object) {
  if (object.ok()) return Objects{*std::move(object)};
  if (object.status().code() != Code::kNotFound) return object.status().at(path);
  if (!has_wildcard(path)) {
    if (path == url) return not_found("no file at ", path);
    return not_found("no file at ", path, ", which ", url, " stands for");
  }
  const std::string_view fixed = folder_of(std::string_view(path).substr(0, first_wildcard(path)));
  const std::size_t begin = path.find_first_not_of('/', fixed.size());
  Glob glob(storage);
  PENSTOCK_TRY(glob.walk(std::string(fixed), std::string_view(path).substr(begin), 0));
  Objects matches = std::move(glob).take_matches();
  if (matches.empty()) return not_found("no file matches ", path);
  return matches;
}

Result<Objects> expand_url(const storage::Storage& storage, const std::string& url) {
  if (url.empty()) return invalid_argument("a path is empty, expected the path of a shard");
  PENSTOCK_TRY_ASSIGN(const Texts paths, expand_numbers(url).at(url));
  const bool is_plain = paths.size() == 1 && paths.front() == url;
  // A file may have braces in its name. A command is not run to find out.
  if (!is_plain && !url.starts_with("pipe:")) {
    if (auto object = storage.stat(url); object.ok()) return Objects{*std::move(object)};
  }
  Objects objects;
  std::vector<Result<storage::ObjectInfo>> known = storage.stat_all(paths);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    PENSTOCK_TRY_ASSIGN(Objects found, expand_path(storage, paths[i], url, std::move(known[i])));
    std::ranges::move(found, std::back_inserter(objects));
  }
  return objects;
}

}  // namespace

Result<std::vector<std::string>> expand_numbers(std::string_view url) {
  PENSTOCK_TRY_ASSIGN(const Texts texts, expand_braces(url, 0));
  Texts paths;
  for (const std::string& text : texts) {
    PENSTOCK_TRY_ASSIGN(Texts counted, expand_count(text));
    if (paths.size() + counted.size() > kMaxPaths) return too_many_paths();
    std::ranges::move(counted, std::back_inserter(paths));
  }
  return paths;
}

bool matches_name(std::string_view pattern, std::string_view name) {
  if (name.starts_with('.') && !pattern.starts_with('.')) return false;
  return matches_pattern(pattern, name);
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  // On a mismatch the last star takes one character more; earlier stars never need to.
  std::optional<std::pair<std::string_view, std::string_view>> after_star;
  while (!text.empty() || !pattern.empty()) {
    if (pattern.starts_with('*')) {
      pattern.remove_prefix(1);
      after_star.emplace(pattern, text);
      continue;
    }
    const std::size_t taken = text.empty() ? 0 : match_one(pattern, text.front());
    if (taken > 0) {
      pattern.remove_prefix(taken);
      text.remove_prefix(1);
      continue;
    }
    if (!after_star || after_star->second.empty()) return false;
    after_star->second.remove_prefix(1);
    std::tie(pattern, text) = *after_star;
  }
  return true;
}

Result<std::vector<storage::ObjectInfo>> expand_urls(const storage::Storage& storage,
                                                     std::span<const std::string> urls) {
  if (urls.empty()) return invalid_argument("no paths, expected one or more shards");
  Objects objects;
  for (const std::string& url : urls) {
    PENSTOCK_TRY_ASSIGN(Objects found, expand_url(storage, url));
    std::ranges::move(found, std::back_inserter(objects));
  }
  return objects;
}

}  // namespace penstock::source
