// The list of storages. A new one is added here.
#include "penstock/storage/catalog.h"

#include <algorithm>
#include <array>
#include <string>

namespace penstock::storage {
namespace {

constexpr std::string_view kSeparator = "://";

std::unique_ptr<Storage> make_local() { return make_local_storage(); }

constexpr std::array<SchemeDef, 2> kSchemes{{
    {"", make_local},
    {"file", make_local},
}};

bool is_scheme_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '-' || c == '.';
}

// Empty if the url is a plain path; paths may hold "://" too, behind something that is no scheme.
std::string_view scheme_of(std::string_view url) {
  const std::size_t end = url.find(kSeparator);
  if (end == std::string_view::npos) return {};
  const std::string_view scheme = url.substr(0, end);
  return std::ranges::all_of(scheme, is_scheme_character) ? scheme : std::string_view{};
}

}  // namespace

std::span<const SchemeDef> schemes() { return kSchemes; }

Result<std::unique_ptr<Storage>> make_storage(std::string_view url) {
  const std::string_view scheme = scheme_of(url);
  std::string known = "a plain path";
  for (const SchemeDef& def : kSchemes) {
    if (def.scheme == scheme) return def.make();
    if (!def.scheme.empty()) known += concat(", ", def.scheme, kSeparator);
  }
  return unsupported("no storage for ", scheme, kSeparator, ", expected one of: ", known);
}

std::string_view path_of_url(std::string_view url) {
  const std::string_view scheme = scheme_of(url);
  return scheme.empty() ? url : url.substr(scheme.size() + kSeparator.size());
}

}  // namespace penstock::storage
