// Figures and sentences for a terminal.
#include "penstock/analyze/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace penstock::analyze {

std::string print_rate(double value) {
  if (!std::isfinite(value)) return "-";
  if (value < 1) return fmt::format("{:.2f}", value);
  if (value < 100) return fmt::format("{:.1f}", value);
  const std::string digits = fmt::format("{:.0f}", value);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (column > 0 && column + 1 + word.size() > width) {
      out += '\n';
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

}  // namespace penstock::analyze
