// Arbitrary text as the small things that servers and users write: dates, urls, profiles, headers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "penstock/storage/http/url.h"
#include "penstock/storage/remote/checksum.h"
#include "penstock/storage/remote/content_range.h"
#include "penstock/storage/remote/http_date.h"
#include "penstock/storage/s3/profile.h"

namespace {

using namespace penstock::storage;

// Aborts on a broken promise.
void require(bool is_true) {
  if (!is_true) std::abort();
}

// Its parts are all of it, in their order.
void check_url(std::string_view text) {
  const Url url = parse_url(text);
  const std::string_view before_query = text.substr(0, text.find('?'));
  std::string together;
  if (before_query.find("://") != std::string_view::npos) together.append(url.scheme).append("://");
  together.append(url.host).append(url.path);
  if (before_query.size() < text.size()) together.append("?").append(url.query);
  require(together == text);
}

void check_escapes(const std::string& text) {
  require(unescape_text(escape_text(text, true)) == text);
  require(unescape_text(escape_text(text, false)) == text);
  const std::string url = escape_url(text);
  require(escape_url(url) == url);
  require(unescape_text(text).size() <= text.size());
}

void check_profile(std::string_view text) {
  for (const auto& [name, value] : find_profile(text, "default")) {
    require(name.find_first_of("=\n") == std::string::npos);
    require(value.find('\n') == std::string::npos);
  }
}

void check_headers(const std::string& text) {
  penstock::storage::HttpResponse response;
  response.headers = {{"content-range", text}, {"x-goog-hash", text}};
  content_range(response);
  stated_crc32c(response);
  response.headers = {{"x-amz-checksum-crc32c", text}};
  stated_crc32c(response);
  response.headers = {{"ais-checksum-type", "crc32c"}, {"ais-checksum-value", text}};
  require(!stated_crc32c(response) || text.size() == 8);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  parse_http_date(text);
  parse_iso_date(text);
  check_url(text);
  check_escapes(text);
  check_profile(text);
  check_headers(text);
  return 0;
}
