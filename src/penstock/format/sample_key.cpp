// The rules of the webdataset package, as scans: base_plus_ext(), whose pattern is
// ^((?:.*/|)[^.]+)[.]([^/]*)$, and the members that tar_file_iterator() passes over.
#include "penstock/format/sample_key.h"

#include <algorithm>

namespace penstock::format {
namespace {

// "__name__" and everything in a folder of such a name.
bool is_about_the_shard(std::string_view record_name) {
  const std::string_view first = record_name.substr(0, record_name.find('/'));
  return first.size() >= 4 && first.starts_with("__") && first.ends_with("__");
}

// Where the key ends, or npos. A base name that begins with a dot belongs to its folder, "a/.x" to
// the key "a/", if the folder's own name has no dot.
std::size_t end_of_key(std::string_view record_name) {
  const std::size_t base = record_name.rfind('/') + 1;  // npos + 1 is 0
  const std::size_t dot = record_name.find('.', base);
  if (dot != base) return dot;
  if (base == 0) return std::string_view::npos;
  const std::string_view folder = record_name.substr(0, base - 1);
  const std::string_view name = folder.substr(folder.rfind('/') + 1);
  return name.find('.') == std::string_view::npos ? dot : std::string_view::npos;
}

}  // namespace

std::optional<SampleKey> split_sample_key(std::string_view record_name) {
  const std::size_t dot = end_of_key(record_name);
  if (dot == std::string_view::npos || is_about_the_shard(record_name)) return std::nullopt;
  SampleKey split{record_name.substr(0, dot), std::string(record_name.substr(dot + 1))};
  std::transform(split.extension.begin(), split.extension.end(), split.extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return split;
}

}  // namespace penstock::format
