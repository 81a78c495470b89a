// NVIDIA AIStore by its own protocol: a gateway knows buckets, and sends each request for an object
// on to the target that has it. The redirect is good for that request alone, so that every attempt
// begins at the gateway.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "penstock/storage/ais_listing.h"
#include "penstock/storage/catalog.h"
#include "penstock/storage/http/url.h"
#include "penstock/storage/remote/remote_storage.h"
#include "penstock/storage/s3/dialect.h"

namespace penstock::storage {
namespace {

constexpr std::string_view kScheme = "ais";

class AisDialect final : public Dialect {
 public:
  AisDialect(std::string gateway, std::string token)
      : gateway_(std::move(gateway)), token_(std::move(token)) {}

  Result<HttpRequest> request(const ObjectCall& call) const override {
    PENSTOCK_TRY_ASSIGN(const BucketAndKey name, split_bucket(call.path, kScheme));
    if (!name.key.empty()) return request_to(concat("/v1/objects/", path_of(name)), call);
    return request_to(concat("/v1/buckets/", escape_text(name.bucket, false)), call);
  }

  Status make_bucket(const RemoteParts& parts, std::string_view path) const override {
    PENSTOCK_TRY_ASSIGN(const BucketAndKey name, split_bucket(path, kScheme));
    const std::string body = R"({"action":"create-bck"})";
    return run_call(parts, {.method = "POST",
                            .path = path.substr(0, kScheme.size() + 3 + name.bucket.size()),
                            .headers = {"Content-Type: application/json"},
                            .body = std::as_bytes(std::span(body))})
        .status();
  }

  // There are no folders: what lies directly in one is found among all that lies below it.
  Result<ListPage> list(const RemoteParts& parts, const ListCall& call) const override {
    PENSTOCK_TRY_ASSIGN(const BucketAndKey name, split_bucket(call.folder, kScheme));
    std::string prefix(name.key);
    if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
    nlohmann::json value = {{"prefix", prefix}, {"props", "name,size"}, {"pagesize", 0}};
    if (!call.page.empty()) value["continuation_token"] = call.page;
    const std::string body = nlohmann::json{{"action", "list"}, {"value", value}}.dump();
    const std::string bucket = concat(kScheme, "://", name.bucket);
    PENSTOCK_TRY_ASSIGN(const HttpResponse response,
                        run_call(parts, {.method = "GET",
                                         .path = bucket,
                                         .headers = {"Content-Type: application/json"},
                                         .body = std::as_bytes(std::span(body))}));
    return parse_ais_listing(response.text, bucket + '/',
                             call.is_deep ? std::nullopt : std::optional<std::string_view>(prefix));
  }

 private:
  static std::string path_of(const BucketAndKey& name) {
    return concat(escape_text(name.bucket, false), "/", escape_text(name.key, true));
  }

  HttpRequest request_to(std::string_view path, const ObjectCall& call) const {
    HttpRequest request{.method = std::string(call.method),
                        .url = concat(gateway_, path, "?provider=ais"),
                        .headers = call.headers,
                        .body = call.body};
    if (!token_.empty()) request.headers.push_back(concat("Authorization: Bearer ", token_));
    return request;
  }

  const std::string gateway_;
  const std::string token_;
};

}  // namespace

Result<std::unique_ptr<Storage>> make_ais_storage(const RemoteContext& context) {
  const char* endpoint = std::getenv("AIS_ENDPOINT");
  if (endpoint == nullptr) {
    return invalid_argument("AIS_ENDPOINT is not set, expected the address of an AIStore gateway");
  }
  const char* token = std::getenv("AIS_AUTHN_TOKEN");
  std::string gateway = endpoint;
  while (gateway.ends_with('/')) gateway.pop_back();
  return make_remote_storage(
      std::make_unique<AisDialect>(std::move(gateway), token == nullptr ? "" : token),
      context.client, context.options);
}

}  // namespace penstock::storage
