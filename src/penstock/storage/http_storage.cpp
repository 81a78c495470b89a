// Files behind a web server. What lies in a folder is read from the server's own listing.
#include <utility>

#include "penstock/storage/catalog.h"
#include "penstock/storage/http/url.h"
#include "penstock/storage/http_listing.h"
#include "penstock/storage/remote/remote_storage.h"

namespace penstock::storage {
namespace {

class HttpDialect final : public Dialect {
 public:
  Result<HttpRequest> request(const ObjectCall& call) const override {
    HttpRequest request{.method = std::string(call.method),
                        .url = escape_url(call.path),
                        .headers = call.headers,
                        .body = call.body};
    return request;
  }

  // Servers send those who ask for a folder without its slash on to the folder's list.
  Status check(const ObjectCall& call, const HttpResponse& response) const override {
    const bool is_folder = parse_url(response.url).path.ends_with('/');
    if (!is_folder || parse_url(call.path).path.ends_with('/')) return {};
    return not_found("a folder, expected a file");
  }

  Result<ListPage> list(const RemoteParts& parts, const ListCall& call) const override {
    std::string folder(call.folder);
    if (!folder.ends_with('/')) folder += '/';
    ListPage page;
    PENSTOCK_TRY(add_folder(parts, folder, call.is_deep, page));
    return page;
  }

 private:
  static Status add_folder(const RemoteParts& parts, const std::string& folder, bool is_deep,
                           ListPage& page) {
    PENSTOCK_TRY_ASSIGN(const HttpResponse response,
                        run_call(parts, {.method = "GET", .path = folder}));
    if (response.header("content-type").starts_with("application/json")) {
      PENSTOCK_TRY(add_json_listing(folder, response.text, page));
    } else {
      add_html_listing(folder, response.text, page);
    }
    if (!is_deep) return {};
    const std::vector<std::string> folders = std::exchange(page.folders, {});
    for (const std::string& inner : folders) {
      PENSTOCK_TRY(add_folder(parts, inner + '/', is_deep, page));
    }
    return {};
  }
};

}  // namespace

Result<std::unique_ptr<Storage>> make_http_storage(const RemoteContext& context) {
  return make_remote_storage(std::make_unique<HttpDialect>(), context.client, context.options);
}

}  // namespace penstock::storage
