// Service accounts (RFC 7523), refresh tokens, the metadata server.
#include "penstock/storage/gs/token.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "penstock/base/text.h"

namespace penstock::storage {
namespace {

constexpr std::int64_t kMarginS = 300;
constexpr std::string_view kScope = "https://www.googleapis.com/auth/devstorage.read_write";

struct KeyDeleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct BioDeleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct DigestDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

std::string_view member(const nlohmann::json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto at = object.find(name);
  if (at == object.end() || !at->is_string()) return {};
  return at->get_ref<const std::string&>();
}

std::string default_file(const S3Environment& environment) {
  std::string path = environment.variable("GOOGLE_APPLICATION_CREDENTIALS");
  if (!path.empty()) return path;
  return concat(environment.variable("HOME"),
                "/.config/gcloud/application_default_credentials.json");
}

std::string form_of(std::vector<std::pair<std::string, std::string>> fields) {
  return canonical_query(std::move(fields));
}

}  // namespace

std::string base64_url(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  std::uint32_t bits = 0;
  int num_bits = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (num_bits += 8; num_bits >= 6; num_bits -= 6) out += kDigits[bits >> (num_bits - 6) & 63];
  }
  if (num_bits > 0) out += kDigits[bits << (6 - num_bits) & 63];
  return out;
}

Result<std::string> signed_token(std::string_view claims, const std::string& private_key) {
  const std::unique_ptr<BIO, BioDeleter> bio(
      BIO_new_mem_buf(private_key.data(), static_cast<int>(private_key.size())));
  const std::unique_ptr<EVP_PKEY, KeyDeleter> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  if (key == nullptr) return invalid_argument("the private key of the service account is no key");
  std::string text = concat(base64_url(R"({"alg":"RS256","typ":"JWT"})"), ".", base64_url(claims));
  const std::unique_ptr<EVP_MD_CTX, DigestDeleter> context(EVP_MD_CTX_new());
  std::size_t size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  bool is_ok = EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
               EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1;
  std::string signature(size, '\0');
  is_ok = is_ok && EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()),
                                  &size, bytes, text.size()) == 1;
  if (!is_ok) return invalid_argument("the private key of the service account cannot sign");
  signature.resize(size);
  return concat(text, ".", base64_url(signature));
}

Result<std::string> GoogleToken::token() {
  const std::scoped_lock lock(mutex_);
  const bool is_known = !token_.empty();
  if (!is_known || (expires_s_ != 0 && environment_.now_s() > expires_s_ - kMarginS)) {
    PENSTOCK_TRY(fetch());
  }
  return token_;
}

Status GoogleToken::fetch() {
  for (const char* name : {"GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"}) {
    token_ = environment_.variable(name);
    if (!token_.empty()) return {};
  }
  const std::string path = default_file(environment_);
  if (const auto text = environment_.read(path); text.ok()) return fetch_with_file(path, *text);
  if (fetch_from_metadata().ok()) return {};
  return not_found("no keys for Google Cloud Storage in GOOGLE_OAUTH_ACCESS_TOKEN, ", path,
                   " or from the metadata server; for a public bucket set GS_NO_SIGN_REQUEST=1");
}

Status GoogleToken::fetch_with_file(const std::string& path, const std::string& text) {
  const auto file = nlohmann::json::parse(text, nullptr, false);
  const std::string_view kind = member(file, "type");
  std::string url(member(file, "token_uri"));
  if (url.empty()) url = "https://oauth2.googleapis.com/token";
  if (kind == "authorized_user") {
    return exchange(url, form_of({{"grant_type", "refresh_token"},
                                  {"client_id", std::string(member(file, "client_id"))},
                                  {"client_secret", std::string(member(file, "client_secret"))},
                                  {"refresh_token", std::string(member(file, "refresh_token"))}}));
  }
  if (kind != "service_account") {
    return unsupported(path, ": type is \"", kind,
                       "\", expected service_account or authorized_user");
  }
  const std::int64_t now = environment_.now_s();
  const std::string claims = nlohmann::json{{"iss", member(file, "client_email")},
                                            {"scope", kScope},
                                            {"aud", url},
                                            {"iat", now},
                                            {"exp", now + 3600}}
                                 .dump();
  auto assertion = signed_token(claims, std::string(member(file, "private_key")));
  if (!assertion.ok()) return assertion.status().at(path);
  return exchange(url, form_of({{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                                {"assertion", *std::move(assertion)}}));
}

Status GoogleToken::exchange(const std::string& url, const std::string& form) {
  return take(client_->run({.method = "POST",
                            .url = url,
                            .headers = {"Content-Type: application/x-www-form-urlencoded"},
                            .body = std::as_bytes(std::span(form))}),
              url);
}

Status GoogleToken::fetch_from_metadata() {
  std::string host = environment_.variable("GCE_METADATA_HOST");
  if (host.empty()) host = "metadata.google.internal";
  constexpr std::chrono::milliseconds kPatience{2000};
  const std::string url =
      concat("http://", host, "/computeMetadata/v1/instance/service-accounts/default/token");
  return take(client_->run({.url = url,
                            .headers = {"Metadata-Flavor: Google"},
                            .timeouts = {kPatience, kPatience, kPatience}}),
              url);
}

// {"access_token":, "expires_in":}
Status GoogleToken::take(const HttpResponse& response, std::string_view from) {
  PENSTOCK_TRY(response.status.at(from));
  const auto answer = nlohmann::json::parse(response.text, nullptr, false);
  token_ = member(answer, "access_token");
  if (response.code != 200 || token_.empty()) {
    return io_error(from, " answered ", response.code, " ", member(answer, "error_description"),
                    ", expected a token");
  }
  const auto lifetime = answer.find("expires_in");
  const bool has_lifetime = lifetime != answer.end() && lifetime->is_number_integer();
  expires_s_ = has_lifetime ? environment_.now_s() + lifetime->get<std::int64_t>() : 0;
  return {};
}

}  // namespace penstock::storage
