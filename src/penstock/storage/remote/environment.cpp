// Environment variables.
#include "penstock/storage/remote/environment.h"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>

namespace penstock::storage {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : value;
}

// nullopt unless the whole text is a number.
std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// `out` stays as it is if the variable is not set.
Status read_seconds(const char* name, std::chrono::milliseconds& out) {
  const std::string_view text = variable(name);
  if (text.empty()) return {};
  const auto seconds = parse_real(text);
  constexpr double kMaxSeconds = 1e6;
  if (!seconds || !(*seconds > 0) || *seconds > kMaxSeconds) {
    return invalid_argument(name, " is ", text, ", expected a number of seconds above 0");
  }
  out = std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
  return {};
}

Status read_percent(const char* name, double& out) {
  const std::string_view text = variable(name);
  if (text.empty()) return {};
  const auto percent = parse_real(text);
  if (!percent || std::isnan(*percent) || *percent < 0 || *percent >= 100) {
    return invalid_argument(name, " is ", text, ", expected a number from 0 to less than 100");
  }
  out = *percent;
  return {};
}

std::string ca_file() {
  for (const char* name : {"SSL_CERT_FILE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE"}) {
    if (const std::string_view file = variable(name); !file.empty()) return std::string(file);
  }
  // Of Debian, Fedora, openSUSE: a library that was built on one may run on another.
  for (const char* file : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    if (access(file, R_OK) == 0) return file;
  }
  return {};
}

// The variables that libcurl heeds for http://.
bool has_proxy() {
  return !variable("http_proxy").empty() || !variable("all_proxy").empty() ||
         !variable("ALL_PROXY").empty();
}

// True also if libcurl would look for it where we do not.
bool may_have_netrc() {
  const std::string_view home = variable("HOME");
  return home.empty() || access(concat(home, "/.netrc").c_str(), F_OK) == 0;
}

}  // namespace

Result<RemoteOptions> remote_options_of_environment() {
  RemoteOptions options;
  PENSTOCK_TRY(read_seconds("PENSTOCK_CONNECT_SECONDS", options.timeouts.connect));
  PENSTOCK_TRY(read_seconds("PENSTOCK_FIRST_BYTE_SECONDS", options.timeouts.first_byte));
  PENSTOCK_TRY(read_seconds("PENSTOCK_STALL_SECONDS", options.timeouts.stall));
  PENSTOCK_TRY(read_seconds("PENSTOCK_GIVE_UP_SECONDS", options.retry.give_up_after));
  PENSTOCK_TRY(read_percent("PENSTOCK_HEDGE_PERCENT", options.hedge_percent));
  return options;
}

HttpClientOptions client_options_of_environment() {
  return {.ca_file = ca_file(), .may_be_plain = !has_proxy() && !may_have_netrc()};
}

}  // namespace penstock::storage
