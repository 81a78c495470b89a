// Paths as text, with '/' between the parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/base/text.h"

namespace penstock::source {

inline std::string join_path(std::string_view folder, std::string_view name) {
  const bool needs_slash = !folder.empty() && !folder.ends_with('/') && !name.empty();
  return concat(folder, needs_slash ? "/" : "", name);
}

// What stands behind the last slash.
inline std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// What stands before the last slash: "" of "a.tar", "/" of "/a.tar".
inline std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  return path.substr(0, slash == 0 ? 1 : slash);
}

inline std::string_view without_trailing_slashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace penstock::source
