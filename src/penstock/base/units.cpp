// Sizes in bytes as people write them.
#include "penstock/base/units.h"

#include <array>
#include <charconv>
#include <cmath>

namespace penstock {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};

constexpr std::array<Unit, 9> kUnits = {{{"", 1},
                                         {"K", 1e3},
                                         {"M", 1e6},
                                         {"G", 1e9},
                                         {"T", 1e12},
                                         {"Ki", 0x1p10},
                                         {"Mi", 0x1p20},
                                         {"Gi", 0x1p30},
                                         {"Ti", 0x1p40}}};

}  // namespace

Result<std::uint64_t> parse_size_bytes(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.ends_with('B')) rest.remove_suffix(1);
  if (error == std::errc{} && number >= 0) {
    for (const Unit& unit : kUnits) {
      const double size_bytes = number * unit.bytes;
      if (rest == unit.name && size_bytes < 0x1p63) return static_cast<std::uint64_t>(size_bytes);
    }
  }
  return invalid_argument("'", text, "' is not a size, expected one like 512MiB, 1.5GB or 4096");
}

std::string print_size_bytes(std::uint64_t size_bytes) {
  constexpr std::array<std::string_view, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(size_bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  return concat(std::round(value * 10) / 10, ' ', kNames[unit]);
}

}  // namespace penstock
