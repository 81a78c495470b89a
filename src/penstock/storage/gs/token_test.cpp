#include "penstock/storage/gs/token.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <nlohmann/json.hpp>

#include "penstock/storage/s3/test_world.h"

namespace penstock::storage {
namespace {

TEST(TokenTest, EncodesAsUrlsMayHoldIt) {
  EXPECT_EQ(base64_url(""), "");
  EXPECT_EQ(base64_url("f"), "Zg");
  EXPECT_EQ(base64_url("fo"), "Zm8");
  EXPECT_EQ(base64_url("foo"), "Zm9v");
  EXPECT_EQ(base64_url("\xff\xef\xbe"), "_---");
}

struct KeyPair {
  KeyPair() : key(EVP_RSA_gen(2048)) {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio, &text);
    pem.assign(text, static_cast<std::size_t>(size));
    BIO_free(bio);
  }
  ~KeyPair() { EVP_PKEY_free(key); }
  KeyPair(const KeyPair&) = delete;
  KeyPair& operator=(const KeyPair&) = delete;

  bool verifies(std::string_view text, std::string_view signature) const {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key);
    const int result = EVP_DigestVerify(
        context, reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
        reinterpret_cast<const unsigned char*>(text.data()), text.size());
    EVP_MD_CTX_free(context);
    return result == 1;
  }

  EVP_PKEY* key;
  std::string pem;
};

std::string decoded(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  unsigned bits = 0;
  int num_bits = 0;
  for (const char c : text) {
    bits = bits << 6 | static_cast<unsigned>(kDigits.find(c));
    num_bits += 6;
    if (num_bits < 8) continue;
    num_bits -= 8;
    out += static_cast<char>(bits >> num_bits & 255);
  }
  return out;
}

TEST(TokenTest, SignsWithAPrivateKey) {
  const KeyPair pair;
  const auto token = signed_token(R"({"iss":"me"})", pair.pem);
  ASSERT_TRUE(token.ok());
  const std::size_t dot = token->rfind('.');
  EXPECT_TRUE(pair.verifies(token->substr(0, dot), decoded(token->substr(dot + 1))));
  EXPECT_EQ(decoded(token->substr(0, token->find('.'))), R"({"alg":"RS256","typ":"JWT"})");
}

TEST(TokenTest, RefusesWhatIsNoKey) {
  EXPECT_EQ(signed_token("{}", "no key").status(),
            invalid_argument("the private key of the service account is no key"));
}

std::string body_of(const HttpRequest& request) {
  return {reinterpret_cast<const char*>(request.body.data()), request.body.size()};
}

TEST(TokenTest, TakesTheVariableFirst) {
  TestWorld world;
  world.variables["GOOGLE_OAUTH_ACCESS_TOKEN"] = "T";
  const auto client = std::make_shared<TestClient>([](const auto&) { return no_response(); });
  EXPECT_EQ(GoogleToken(client, world.environment()).token().value(), "T");
}

TEST(TokenTest, ExchangesAServiceAccountForAToken) {
  const KeyPair pair;
  TestWorld world;
  world.variables["GOOGLE_APPLICATION_CREDENTIALS"] = "/account.json";
  world.files["/account.json"] = nlohmann::json{{"type", "service_account"},
                                                {"client_email", "me@project"},
                                                {"private_key", pair.pem},
                                                {"token_uri", "https://oauth/token"}}
                                     .dump();
  const auto client = std::make_shared<TestClient>([](const HttpRequest& request) {
    EXPECT_EQ(request.url, "https://oauth/token");
    EXPECT_TRUE(body_of(request).starts_with("assertion=eyJ"));
    EXPECT_TRUE(body_of(request).ends_with(
        "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"));
    return text_response(R"({"access_token":"T","expires_in":3600})");
  });
  GoogleToken token(client, world.environment());
  EXPECT_EQ(token.token().value(), "T");
  EXPECT_EQ(token.token().value(), "T");
  EXPECT_EQ(client->asked.size(), 1u);
  world.now_s += 3400;
  EXPECT_EQ(token.token().value(), "T");
  EXPECT_EQ(client->asked.size(), 2u);
}

TEST(TokenTest, RenewsAUsersToken) {
  TestWorld world;
  world.files["/home/me/.config/gcloud/application_default_credentials.json"] =
      R"({"type":"authorized_user","client_id":"i","client_secret":"s","refresh_token":"r"})";
  const auto client = std::make_shared<TestClient>([](const HttpRequest& request) {
    EXPECT_EQ(request.url, "https://oauth2.googleapis.com/token");
    EXPECT_EQ(body_of(request),
              "client_id=i&client_secret=s&grant_type=refresh_token&refresh_token=r");
    return text_response(R"({"access_token":"T","expires_in":3600})");
  });
  EXPECT_EQ(GoogleToken(client, world.environment()).token().value(), "T");
}

TEST(TokenTest, AsksTheMetadataServer) {
  TestWorld world;
  const auto client = std::make_shared<TestClient>([](const HttpRequest& request) {
    EXPECT_EQ(request.url,
              "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/"
              "default/token");
    EXPECT_TRUE(has_header(request, "Metadata-Flavor: Google"));
    return text_response(R"({"access_token":"T","expires_in":3600})");
  });
  EXPECT_EQ(GoogleToken(client, world.environment()).token().value(), "T");
}

TEST(TokenTest, SaysWhereItLooked) {
  TestWorld world;
  const auto client = std::make_shared<TestClient>([](const auto&) { return no_response(); });
  EXPECT_EQ(GoogleToken(client, world.environment()).token().status().message(),
            "no keys for Google Cloud Storage in GOOGLE_OAUTH_ACCESS_TOKEN, "
            "/home/me/.config/gcloud/application_default_credentials.json or from the metadata "
            "server; for a public bucket set GS_NO_SIGN_REQUEST=1");
}

}  // namespace
}  // namespace penstock::storage
