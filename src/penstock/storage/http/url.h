// Urls: taken apart, put together, escaped.
#pragma once

#include <string>
#include <string_view>

namespace penstock::storage {

// "https://user@host:80/a/b?x=1": views into the text.
struct Url {
  std::string_view scheme;
  std::string_view host;   // with a port
  std::string_view path;   // from the first slash on; empty if there is none
  std::string_view query;  // without the question mark
};

Url parse_url(std::string_view url);

// The part that says where the server is: "https://user@host:80".
std::string_view origin_of(std::string_view url);

// Every byte but letters, digits, - . _ ~ becomes %XX; slashes stay if `keeps_slashes`.
std::string escape_text(std::string_view text, bool keeps_slashes);

// Bytes that a url may not hold become %XX; % stays, because what is escaped shall not be escaped
// again.
std::string escape_url(std::string_view url);

// %XX becomes the byte; what is no escape stays.
std::string unescape_text(std::string_view text);

}  // namespace penstock::storage
