// Figures and sentences for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace penstock::analyze {

// "1,410", "87.3", "0.52"; "-" if it is infinite.
std::string print_rate(double value);

// Broken between words into lines of at most `width`.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace penstock::analyze
