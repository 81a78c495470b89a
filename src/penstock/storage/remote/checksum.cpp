// Google: x-goog-hash; Amazon: x-amz-checksum-crc32c; AIStore: ais-checksum-type and -value.
#include "penstock/storage/remote/checksum.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "penstock/base/crc32c.h"
#include "penstock/base/text.h"

namespace penstock::storage {
namespace {

// Four bytes in base64, the highest first: "yZRlqg==". A checksum made from those of parts has a
// number behind it ("yZRlqg==-3") and is none of the bytes.
std::optional<std::uint32_t> parse_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::size_t kNumDigits = 6;
  if (text.size() != kNumDigits + 2 || !text.ends_with("==")) return std::nullopt;
  std::uint64_t bits = 0;
  for (const char c : text.substr(0, kNumDigits)) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | digit;
  }
  return static_cast<std::uint32_t>(bits >> 4);
}

std::optional<std::uint32_t> parse_hexadecimal(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 8 || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// Of "crc32c=n03x6A==,md5=Ojk9c3dhfxgoKVVHYwFbHQ==".
std::optional<std::uint32_t> find_google_crc32c(std::string_view hashes) {
  constexpr std::string_view kName = "crc32c=";
  while (!hashes.empty()) {
    const std::size_t end = std::min(hashes.find(','), hashes.size());
    std::string_view hash = hashes.substr(0, end);
    hashes.remove_prefix(std::min(end + 1, hashes.size()));
    hash.remove_prefix(std::min(hash.find_first_not_of(' '), hash.size()));
    if (hash.starts_with(kName)) return parse_base64(hash.substr(kName.size()));
  }
  return std::nullopt;
}

std::optional<std::uint32_t> google_crc32c(const HttpResponse& response) {
  // Objects that are stored compressed are sent decompressed, with the checksum of what is stored.
  const std::string_view encoding = response.header("x-goog-stored-content-encoding");
  if (!encoding.empty() && encoding != "identity") return std::nullopt;
  for (const auto& [name, value] : response.headers) {
    if (name != "x-goog-hash") continue;
    if (const auto crc = find_google_crc32c(value)) return crc;
  }
  return std::nullopt;
}

std::string hexadecimal_of(std::uint32_t crc) { return concat("0x", hexadecimal(crc).substr(8)); }

}  // namespace

std::optional<std::uint32_t> stated_crc32c(const HttpResponse& response) {
  if (const auto crc = google_crc32c(response)) return crc;
  if (const std::string_view text = response.header("x-amz-checksum-crc32c");
      !text.empty() && response.header("x-amz-checksum-type") != "COMPOSITE") {
    return parse_base64(text);
  }
  if (response.header("ais-checksum-type") != "crc32c") return std::nullopt;
  return parse_hexadecimal(response.header("ais-checksum-value"));
}

Status check_object(Bytes object, const HttpResponse& response) {
  const auto expected = stated_crc32c(response);
  if (!expected) return {};
  const std::uint32_t found = crc32c(object);
  if (found == *expected) return {};
  return corrupt("crc32c of what came is ", hexadecimal_of(found), ", expected ",
                 hexadecimal_of(*expected));
}

}  // namespace penstock::storage
