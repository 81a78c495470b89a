// The places where Amazon's tools look for keys.
#include "penstock/storage/s3/credentials.h"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <utility>

#include "penstock/storage/remote/http_date.h"

namespace penstock::storage {
namespace {

// Keys are fetched anew so long before they expire.
constexpr std::int64_t kMarginS = 300;
constexpr HttpTimeouts kMetadataTimeouts{.connect = std::chrono::milliseconds(1000),
                                         .first_byte = std::chrono::milliseconds(2000),
                                         .stall = std::chrono::milliseconds(2000)};

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_found("no file at ", path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// A variable with a path, or a file in ~/.aws.
std::string settings_path(const S3Environment& environment, const char* variable,
                          std::string_view name) {
  std::string path = environment.variable(variable);
  if (path.empty()) path = concat(environment.variable("HOME"), "/.aws/", name);
  return path;
}

std::string profile_name(const S3Environment& environment) {
  std::string name = environment.variable("AWS_PROFILE");
  return name.empty() ? "default" : name;
}

Result<std::string> text_of(HttpResponse response, std::string_view from) {
  PENSTOCK_TRY(response.status.at(from));
  if (response.code != 200) {
    return io_error(from, " answered ", response.code, ", expected keys for S3");
  }
  return std::move(response.text);
}

std::string_view member(const nlohmann::json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto at = object.find(name);
  if (at == object.end() || !at->is_string()) return {};
  return at->get_ref<const std::string&>();
}

std::int64_t seconds_of(std::string_view date) { return parse_iso_date(date) / 1'000'000'000; }

}  // namespace

S3Environment S3Environment::of_process() {
  return {.variable = [](const char* name) -> std::string {
            const char* value = std::getenv(name);
            return value == nullptr ? "" : value;
          },
          .read = read_file,
          .now_s = [] { return static_cast<std::int64_t>(std::time(nullptr)); }};
}

Profile load_profile(const S3Environment& environment) {
  Profile profile;
  const std::string name = profile_name(environment);
  for (const auto& [variable, file] : {std::pair("AWS_CONFIG_FILE", "config"),
                                       std::pair("AWS_SHARED_CREDENTIALS_FILE", "credentials")}) {
    const auto text = environment.read(settings_path(environment, variable, file));
    if (!text.ok()) continue;
    for (auto& [key, value] : find_profile(*text, name)) profile.insert_or_assign(key, value);
  }
  return profile;
}

Result<S3Keys> S3Credentials::keys() {
  const std::scoped_lock lock(mutex_);
  if (found_ && (found_->expires_s == 0 || environment_.now_s() < found_->expires_s - kMarginS)) {
    return found_->keys;
  }
  PENSTOCK_TRY_ASSIGN(found_, find());
  if (found_) return found_->keys;
  return not_found("no keys for S3 in AWS_ACCESS_KEY_ID, in profile ", profile_name(environment_),
                   " of ",
                   settings_path(environment_, "AWS_SHARED_CREDENTIALS_FILE", "credentials"),
                   ", or from a container's or an instance's metadata; for a public bucket set "
                   "AWS_NO_SIGN_REQUEST=1");
}

Result<std::optional<S3Credentials::Found>> S3Credentials::find() {
  if (auto found = from_variables()) return found;
  PENSTOCK_TRY_ASSIGN(auto found, from_web_identity());
  if (found) return found;
  if (auto kept = from_profile()) return kept;
  PENSTOCK_TRY_ASSIGN(found, from_container());
  if (found) return found;
  return from_instance();
}

std::optional<S3Credentials::Found> S3Credentials::from_variables() const {
  Found found{{variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"),
               variable("AWS_SESSION_TOKEN")}};
  if (found.keys.key.empty() || found.keys.secret.empty()) return std::nullopt;
  return found;
}

std::optional<S3Credentials::Found> S3Credentials::from_profile() const {
  const Profile profile = load_profile(environment_);
  Found found{{std::string(setting(profile, "aws_access_key_id")),
               std::string(setting(profile, "aws_secret_access_key")),
               std::string(setting(profile, "aws_session_token"))}};
  if (found.keys.key.empty() || found.keys.secret.empty()) return std::nullopt;
  return found;
}

Result<std::optional<S3Credentials::Found>> S3Credentials::from_web_identity() const {
  const std::string file = variable("AWS_WEB_IDENTITY_TOKEN_FILE");
  const std::string role = variable("AWS_ROLE_ARN");
  if (file.empty() || role.empty()) return std::optional<Found>();
  PENSTOCK_TRY_ASSIGN(const std::string token, environment_.read(file));
  std::string session = variable("AWS_ROLE_SESSION_NAME");
  if (session.empty()) session = "penstock";
  std::string region = variable("AWS_REGION");
  if (region.empty()) region = variable("AWS_DEFAULT_REGION");
  std::string endpoint = variable("AWS_ENDPOINT_URL_STS");
  if (endpoint.empty()) {
    endpoint = concat("https://sts.", region, region.empty() ? "" : ".", "amazonaws.com");
  }
  const std::string query = canonical_query({{"Action", "AssumeRoleWithWebIdentity"},
                                             {"Version", "2011-06-15"},
                                             {"RoleArn", role},
                                             {"RoleSessionName", session},
                                             {"WebIdentityToken", token}});
  PENSTOCK_TRY_ASSIGN(const std::string text,
                      text_of(client_->run({.url = concat(endpoint, "/?", query)}), endpoint));
  pugi::xml_document document;
  document.load_string(text.c_str());
  const auto keys = document.child("AssumeRoleWithWebIdentityResponse")
                        .child("AssumeRoleWithWebIdentityResult")
                        .child("Credentials");
  if (!keys) return io_error(endpoint, " answered without keys");
  return std::optional(Found{{keys.child_value("AccessKeyId"), keys.child_value("SecretAccessKey"),
                              keys.child_value("SessionToken")},
                             seconds_of(keys.child_value("Expiration"))});
}

namespace {

// {"AccessKeyId":, "SecretAccessKey":, "Token":, "Expiration":}
Result<std::pair<S3Keys, std::int64_t>> parse_keys(const std::string& text, std::string_view from) {
  const auto object = nlohmann::json::parse(text, nullptr, false);
  S3Keys keys{std::string(member(object, "AccessKeyId")),
              std::string(member(object, "SecretAccessKey")), std::string(member(object, "Token"))};
  if (keys.key.empty() || keys.secret.empty()) return io_error(from, " answered without keys");
  return std::pair(std::move(keys), seconds_of(member(object, "Expiration")));
}

}  // namespace

Result<std::optional<S3Credentials::Found>> S3Credentials::from_container() const {
  std::string url = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (const std::string path = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); !path.empty()) {
    url = concat("http://169.254.170.2", path);
  }
  if (url.empty()) return std::optional<Found>();
  HttpRequest request{.url = url, .timeouts = kMetadataTimeouts};
  std::string token = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (const std::string file = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !file.empty()) {
    PENSTOCK_TRY_ASSIGN(token, environment_.read(file));
  }
  if (!token.empty()) request.headers.push_back(concat("Authorization: ", token));
  PENSTOCK_TRY_ASSIGN(const std::string text, text_of(client_->run(std::move(request)), url));
  PENSTOCK_TRY_ASSIGN(auto keys, parse_keys(text, url));
  return std::optional(Found{std::move(keys.first), keys.second});
}

// Version 2 of the metadata service: a token first. Where nobody answers there is no instance.
Result<std::optional<S3Credentials::Found>> S3Credentials::from_instance() const {
  if (variable("AWS_EC2_METADATA_DISABLED") == "true") return std::optional<Found>();
  std::string endpoint = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (endpoint.empty()) endpoint = "http://169.254.169.254";
  if (!endpoint.ends_with('/')) endpoint += '/';
  const auto ask = [&](std::string_view method, std::string_view path, std::string header) {
    return client_->run({.method = std::string(method),
                         .url = concat(endpoint, "latest/", path),
                         .headers = {std::move(header)},
                         .timeouts = kMetadataTimeouts});
  };
  const HttpResponse token = ask("PUT", "api/token", "X-aws-ec2-metadata-token-ttl-seconds: 21600");
  if (!token.status.ok() || token.code != 200) return std::optional<Found>();
  const std::string header = concat("X-aws-ec2-metadata-token: ", token.text);
  constexpr std::string_view kRoles = "meta-data/iam/security-credentials/";
  const HttpResponse role = ask("GET", kRoles, header);
  if (!role.status.ok() || role.code != 200) return std::optional<Found>();
  const std::string name = role.text.substr(0, role.text.find('\n'));
  PENSTOCK_TRY_ASSIGN(const std::string text,
                      text_of(ask("GET", concat(kRoles, name), header), endpoint));
  PENSTOCK_TRY_ASSIGN(auto keys, parse_keys(text, endpoint));
  return std::optional(Found{std::move(keys.first), keys.second});
}

}  // namespace penstock::storage
