// Google Cloud Storage by its XML interface, which is S3's: signed with interoperability keys, or
// with an OAuth token.
#include <utility>

#include "penstock/storage/catalog.h"
#include "penstock/storage/gs/token.h"
#include "penstock/storage/remote/remote_storage.h"
#include "penstock/storage/s3/dialect.h"

namespace penstock::storage {
namespace {

Authorize authorize_with(const RemoteContext& context, const S3Environment& environment) {
  const S3Keys keys{environment.variable("GS_ACCESS_KEY_ID"),
                    environment.variable("GS_SECRET_ACCESS_KEY"), ""};
  if (!environment.variable("GS_NO_SIGN_REQUEST").empty()) {
    return [](const S3Call& call, std::string_view) { return unsigned_headers(call); };
  }
  if (!keys.key.empty() && !keys.secret.empty()) {
    return [keys, now_s = environment.now_s](const S3Call& call, std::string_view region) {
      return signed_headers(call, keys, {.region = region}, now_s());
    };
  }
  return [token = std::make_shared<GoogleToken>(context.client, environment)](
             const S3Call& call, std::string_view) -> Result<std::vector<std::string>> {
    PENSTOCK_TRY_ASSIGN(const std::string bearer, token->token());
    std::vector<std::string> headers = unsigned_headers(call);
    headers.push_back(concat("Authorization: Bearer ", bearer));
    return headers;
  };
}

}  // namespace

Result<std::unique_ptr<Storage>> make_gs_storage(const RemoteContext& context) {
  const S3Environment environment = S3Environment::of_process();
  std::string endpoint = environment.variable("GS_ENDPOINT_URL");
  if (endpoint.empty()) endpoint = "https://storage.googleapis.com";
  while (endpoint.ends_with('/')) endpoint.pop_back();
  return make_remote_storage(make_s3_dialect({.scheme = "gs",
                                              .endpoint = std::move(endpoint),
                                              .region = "auto",
                                              .uses_path_style = true,
                                              .asks_for_checksums = false},
                                             authorize_with(context, environment)),
                             context.client, context.options);
}

}  // namespace penstock::storage
