// A small INI reader.
#include "penstock/storage/s3/profile.h"

#include <algorithm>

#include "penstock/base/text.h"

namespace penstock::storage {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// Of "[name]" or "[profile name]".
std::string_view section_name(std::string_view line) {
  line = trimmed(line.substr(1, line.find(']') - 1));
  if (line.starts_with("profile ")) line = trimmed(line.substr(8));
  return line;
}

}  // namespace

Profile find_profile(std::string_view text, std::string_view name) {
  Profile profile;
  bool is_inside = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('[')) {
      is_inside = section_name(line) == name;
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!is_inside || equals == std::string_view::npos || line.find_first_of("#; \t") == 0)
      continue;
    profile.insert_or_assign(std::string(trimmed(line.substr(0, equals))),
                             std::string(trimmed(line.substr(equals + 1))));
  }
  return profile;
}

std::string_view setting(const Profile& profile, std::string_view name) {
  const auto at = profile.find(name);
  return at == profile.end() ? std::string_view{} : at->second;
}

}  // namespace penstock::storage
