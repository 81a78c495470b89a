// The files in which users keep keys and settings: ~/.aws/credentials and ~/.aws/config.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace penstock::storage {

// The settings of one section, by name.
using Profile = std::map<std::string, std::string, std::less<>>;

// The section "[name]" or, in a config file, "[profile name]". Empty if there is none. Lines that
// are neither section nor setting are passed over, as are settings of settings (indented lines).
Profile find_profile(std::string_view text, std::string_view name);

// "" if there is none.
std::string_view setting(const Profile& profile, std::string_view name);

}  // namespace penstock::storage
