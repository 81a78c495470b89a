// Amazon S3 and every store that speaks like it.
#include <utility>

#include "penstock/storage/catalog.h"
#include "penstock/storage/remote/remote_storage.h"
#include "penstock/storage/s3/credentials.h"
#include "penstock/storage/s3/dialect.h"

namespace penstock::storage {
namespace {

// The first that is set.
std::string first_of(std::initializer_list<std::string> values) {
  for (const std::string& value : values) {
    if (!value.empty()) return value;
  }
  return {};
}

bool is_yes(std::string_view text) { return text == "1" || text == "true" || text == "yes"; }

S3Settings settings_of(const S3Environment& environment) {
  const auto& variable = environment.variable;
  const Profile profile = load_profile(environment);
  S3Settings settings;
  settings.region = first_of({variable("AWS_REGION"), variable("AWS_DEFAULT_REGION"),
                              std::string(setting(profile, "region")), "us-east-1"});
  settings.endpoint = first_of({variable("AWS_ENDPOINT_URL_S3"), variable("AWS_ENDPOINT_URL"),
                                std::string(setting(profile, "endpoint_url"))});
  // Stores of one's own rarely have a name for each bucket.
  settings.uses_path_style = !settings.endpoint.empty();
  if (const std::string style = variable("AWS_S3_ADDRESSING_STYLE"); !style.empty()) {
    settings.uses_path_style = style == "path";
  }
  if (settings.endpoint.empty()) {
    settings.endpoint = "https://s3.{region}.amazonaws.com";
  }
  while (settings.endpoint.ends_with('/')) settings.endpoint.pop_back();
  return settings;
}

}  // namespace

Result<std::unique_ptr<Storage>> make_s3_storage(const RemoteContext& context) {
  S3Environment environment = S3Environment::of_process();
  S3Settings settings = settings_of(environment);
  Authorize authorize;
  if (is_yes(environment.variable("AWS_NO_SIGN_REQUEST"))) {
    authorize = [](const S3Call& call, std::string_view) { return unsigned_headers(call); };
  } else {
    authorize = [credentials = std::make_shared<S3Credentials>(context.client, environment),
                 now_s = environment.now_s](
                    const S3Call& call,
                    std::string_view region) -> Result<std::vector<std::string>> {
      PENSTOCK_TRY_ASSIGN(const S3Keys keys, credentials->keys());
      return signed_headers(call, keys, {.region = region}, now_s());
    };
  }
  return make_remote_storage(make_s3_dialect(std::move(settings), std::move(authorize)),
                             context.client, context.options);
}

}  // namespace penstock::storage
