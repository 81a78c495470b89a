// Parsed by hand: strptime() depends on the locale.
#include "penstock/storage/remote/http_date.h"

#include <array>
#include <charconv>
#include <chrono>
#include <optional>

namespace penstock::storage {
namespace {

// Of `count` digits at `begin`; nullopt if there are none.
std::optional<int> digits(std::string_view text, std::size_t begin, std::size_t count) {
  if (begin + count > text.size()) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(begin, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::int64_t nanoseconds_of(std::optional<int> year, std::optional<unsigned> month,
                            std::optional<int> day, std::string_view time) {
  const auto hour = digits(time, 0, 2), minute = digits(time, 3, 2), second = digits(time, 6, 2);
  if (!year || !month || !day || !hour || !minute || !second) return 0;
  // What 64 bits of nanoseconds reach from 1970 on.
  constexpr int kFirstYear = 1678, kLastYear = 2261;
  if (*year < kFirstYear || *year > kLastYear) return 0;
  const std::chrono::year_month_day date(std::chrono::year(*year), std::chrono::month(*month),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return 0;
  const auto at = std::chrono::sys_days(date) + std::chrono::hours(*hour) +
                  std::chrono::minutes(*minute) + std::chrono::seconds(*second);
  return std::chrono::nanoseconds(at.time_since_epoch()).count();
}

std::optional<unsigned> month_of(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (unsigned i = 0; i < kMonths.size(); ++i) {
    if (kMonths[i] == name) return i + 1;
  }
  return std::nullopt;
}

}  // namespace

std::int64_t parse_http_date(std::string_view text) {
  constexpr std::size_t kLength = 29;
  if (text.size() != kLength) return 0;
  return nanoseconds_of(digits(text, 12, 4), month_of(text.substr(8, 3)), digits(text, 5, 2),
                        text.substr(17, 8));
}

std::int64_t parse_iso_date(std::string_view text) {
  constexpr std::size_t kLength = 19;
  if (text.size() < kLength || text[10] != 'T') return 0;
  const auto month = digits(text, 5, 2);
  return nanoseconds_of(digits(text, 0, 4),
                        month ? std::optional(static_cast<unsigned>(*month)) : std::nullopt,
                        digits(text, 8, 2), text.substr(11, 8));
}

}  // namespace penstock::storage
