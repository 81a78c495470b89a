// Where a user's programs keep what can be made again.
#pragma once

#include <string>

namespace penstock::storage {

// $XDG_CACHE_HOME/penstock, or ~/.cache/penstock; empty if neither variable is set. Not made here.
std::string user_cache_folder();

}  // namespace penstock::storage
