// https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
#include "penstock/storage/s3/signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "penstock/base/text.h"
#include "penstock/storage/http/url.h"

namespace penstock::storage {
namespace {

using Hash = std::array<unsigned char, 32>;

std::string hexadecimal_of(const Hash& hash) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : hash) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string_view view_of(const Hash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

Hash hmac(std::string_view key, std::string_view text) {
  Hash hash;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data(), nullptr);
  return hash;
}

// "20130524T000000Z".
std::string time_text(std::int64_t time_s) {
  const std::chrono::sys_seconds time{std::chrono::seconds(time_s)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%04d%02u%02uT%02d%02d%02dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

// Without spaces at the ends, and one where there are several.
std::string trimmed_value(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool is_space = c == ' ' || c == '\t';
    if (is_space && (out.empty() || out.back() == ' ')) continue;
    out += is_space ? ' ' : c;
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string signature_of(std::string_view text, std::string_view secret, std::string_view date,
                         const SigningScope& scope) {
  Hash key = hmac(concat("AWS4", secret), date);
  for (const std::string_view part :
       {scope.region, scope.service, std::string_view("aws4_request")}) {
    key = hmac(view_of(key), part);
  }
  return hexadecimal_of(hmac(view_of(key), text));
}

}  // namespace

std::string sha256(std::string_view bytes) {
  Hash hash;
  EVP_Digest(bytes.data(), bytes.size(), hash.data(), nullptr, EVP_sha256(), nullptr);
  return hexadecimal_of(hash);
}

std::string canonical_query(std::vector<std::pair<std::string, std::string>> query) {
  for (auto& [name, value] : query) {
    name = escape_text(name, false);
    value = escape_text(value, false);
  }
  std::ranges::sort(query);
  std::string text;
  for (const auto& [name, value] : query) {
    text += concat(text.empty() ? "" : "&", name, "=", value);
  }
  return text;
}

std::vector<std::string> unsigned_headers(const S3Call& call) {
  std::vector<std::string> headers;
  headers.reserve(call.headers.size());
  for (const auto& [name, value] : call.headers) headers.push_back(concat(name, ": ", value));
  return headers;
}

std::vector<std::string> signed_headers(const S3Call& call, const S3Keys& keys,
                                        const SigningScope& scope, std::int64_t time_s) {
  const std::string time = time_text(time_s);
  const std::string_view date = std::string_view(time).substr(0, 8);
  auto headers = call.headers;
  headers.emplace_back("x-amz-content-sha256", call.payload_hash);
  headers.emplace_back("x-amz-date", time);
  if (!keys.token.empty()) headers.emplace_back("x-amz-security-token", keys.token);

  auto to_sign = headers;
  to_sign.emplace_back("host", call.host);
  std::ranges::sort(to_sign);
  std::string lines, names;
  for (const auto& [name, value] : to_sign) {
    lines += concat(name, ":", trimmed_value(value), "\n");
    names += concat(names.empty() ? "" : ";", name);
  }
  const std::string request =
      concat(call.method, "\n", escape_text(call.path, true), "\n", canonical_query(call.query),
             "\n", lines, "\n", names, "\n", call.payload_hash);
  const std::string credential =
      concat(date, "/", scope.region, "/", scope.service, "/aws4_request");
  const std::string text =
      concat("AWS4-HMAC-SHA256\n", time, "\n", credential, "\n", sha256(request));

  std::vector<std::string> out;
  out.reserve(headers.size() + 1);
  for (const auto& [name, value] : headers) out.push_back(concat(name, ": ", value));
  out.push_back(concat("Authorization: AWS4-HMAC-SHA256 Credential=", keys.key, "/", credential,
                       ", SignedHeaders=", names,
                       ", Signature=", signature_of(text, keys.secret, date, scope)));
  return out;
}

}  // namespace penstock::storage
