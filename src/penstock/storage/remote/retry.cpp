// Back-off with jitter: clients that failed together do not come back together.
#include "penstock/storage/remote/retry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "penstock/storage/remote/http_date.h"

namespace penstock::storage {
namespace {

using std::chrono::milliseconds;

// Of a Retry-After: seconds, or a date, which is compared with the server's own clock.
std::optional<milliseconds> retry_after(const HttpResponse& response) {
  const std::string_view text = response.header("retry-after");
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc()) {
    const std::int64_t until = parse_http_date(text);
    const std::int64_t now = parse_http_date(response.header("date"));
    if (until == 0 || now == 0) return std::nullopt;
    seconds = (until - now) / 1'000'000'000;
  }
  constexpr std::int64_t kMaxSeconds = 3600;
  if (seconds < 0 || seconds > kMaxSeconds) return std::nullopt;
  return milliseconds(1000 * seconds);
}

}  // namespace

bool is_transient(const HttpResponse& response) {
  constexpr std::array kCodes = {408, 425, 429, 500, 502, 503, 504};
  const Code failure = response.status.code();
  if (failure != Code::kOk) return failure == Code::kIo || failure == Code::kCorrupt;
  return std::ranges::find(kCodes, response.code) != kCodes.end();
}

std::optional<milliseconds> Retry::next_delay(const HttpResponse& response, Clock::time_point now) {
  ++num_failures_;
  if (!is_transient(response)) return std::nullopt;
  if (!first_failure_) {
    first_failure_ = now;
    num_in_a_row_ = 0;
  }
  constexpr int kMaxDoublings = 20;
  const auto most = std::min(options_.max_delay,
                             options_.first_delay * (1 << std::min(num_in_a_row_, kMaxDoublings)));
  ++num_in_a_row_;
  // Not less than half of it, so that a server has time to come back.
  auto delay = std::chrono::duration_cast<milliseconds>(most * (0.5 + 0.5 * rng_.uniform()));
  if (const auto asked = retry_after(response)) delay = std::max(delay, *asked);
  const auto left = *first_failure_ + std::min(options_.give_up_after, response.hope) - now;
  if (left <= milliseconds(0)) return std::nullopt;
  return std::min(delay, std::chrono::ceil<milliseconds>(left));
}

}  // namespace penstock::storage
