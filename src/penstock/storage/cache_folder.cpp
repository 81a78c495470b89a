// The user's cache folder, by the XDG base directory specification.
#include "penstock/storage/cache_folder.h"

#include <cstdlib>
#include <string_view>

namespace penstock::storage {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

}  // namespace

std::string user_cache_folder() {
  // The specification asks to ignore a relative path.
  const std::string_view cache = environment("XDG_CACHE_HOME");
  if (cache.starts_with('/')) return std::string(cache) + "/penstock";
  const std::string_view home = environment("HOME");
  if (!home.empty()) return std::string(home) + "/.cache/penstock";
  return {};
}

}  // namespace penstock::storage
