// RFC 3986, as far as storage needs it.
#include "penstock/storage/http/url.h"

#include <algorithm>

namespace penstock::storage {
namespace {

constexpr std::string_view kHexadecimal = "0123456789ABCDEF";

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

void append_escaped(char c, std::string& out) {
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kHexadecimal[byte >> 4];
  out += kHexadecimal[byte & 15];
}

int hexadecimal_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Url parse_url(std::string_view url) {
  Url parts;
  if (const std::size_t query = url.find('?'); query != std::string_view::npos) {
    parts.query = url.substr(query + 1);
    url = url.substr(0, query);
  }
  if (const std::size_t colon = url.find("://"); colon != std::string_view::npos) {
    parts.scheme = url.substr(0, colon);
    url.remove_prefix(colon + 3);
  }
  const std::size_t slash = std::min(url.find('/'), url.size());
  parts.host = url.substr(0, slash);
  parts.path = url.substr(slash);
  return parts;
}

std::string_view origin_of(std::string_view url) {
  const std::size_t host = url.find("://");
  if (host == std::string_view::npos) return url;
  return url.substr(0, url.find('/', host + 3));
}

std::string escape_text(std::string_view text, bool keeps_slashes) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c) || (c == '/' && keeps_slashes)) {
      out += c;
    } else {
      append_escaped(c, out);
    }
  }
  return out;
}

std::string escape_url(std::string_view url) {
  constexpr std::string_view kAllowed = "%:/?#[]@!$&'()*+,;=";
  std::string out;
  out.reserve(url.size());
  for (const char c : url) {
    if (is_unreserved(c) || kAllowed.find(c) != std::string_view::npos) {
      out += c;
    } else {
      append_escaped(c, out);
    }
  }
  return out;
}

std::string unescape_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = i + 2 < text.size() && text[i] == '%' ? hexadecimal_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hexadecimal_digit(text[i + 2]) : -1;
    if (low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace penstock::storage
