// Dates of HTTP headers and of listings.
#pragma once

#include <cstdint>
#include <string_view>

namespace penstock::storage {

// "Sun, 06 Nov 1994 08:49:37 GMT", in nanoseconds since 1970; 0 if it is no date.
std::int64_t parse_http_date(std::string_view text);

// "1994-11-06T08:49:37.123Z"; 0 if it is no date.
std::int64_t parse_iso_date(std::string_view text);

}  // namespace penstock::storage
