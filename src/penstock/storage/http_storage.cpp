// Files behind a web server. What lies in a folder is read from the server's own listing.
#include <cstdlib>
#include <string>
#include <utility>

#include "penstock/storage/catalog.h"
#include "penstock/storage/http/url.h"
#include "penstock/storage/http_listing.h"
#include "penstock/storage/remote/remote_storage.h"

namespace penstock::storage {
namespace {

// PENSTOCK_HTTP_TOKEN; empty if it is not set.
std::string token_of_environment() {
  const char* token = std::getenv("PENSTOCK_HTTP_TOKEN");
  return token == nullptr ? "" : token;
}

constexpr int kMaxDepth = 32;  // of folders; links on the server may form a loop

class HttpDialect final : public Dialect {
 public:
  explicit HttpDialect(std::string token) : token_(std::move(token)) {}

  Result<HttpRequest> request(const ObjectCall& call) const override {
    HttpRequest request{.method = std::string(call.method),
                        .url = escape_url(call.path),
                        .headers = call.headers,
                        .body = call.body};
    // libcurl does not pass it on to another host that a server sends us to.
    if (!token_.empty()) request.headers.push_back(concat("Authorization: Bearer ", token_));
    return request;
  }

  // Servers send those who ask for a folder without its slash on to the folder's list.
  Status check(const ObjectCall& call, const HttpResponse& response) const override {
    const bool is_folder = parse_url(response.url).path.ends_with('/');
    if (!is_folder || parse_url(call.path).path.ends_with('/')) return {};
    return not_found("a folder, expected a file");
  }

  // What is copied is still in a cache then: over loopback 1 MiB at a time takes three quarters of
  // the CPU of 4 MiB.
  std::size_t part_bytes() const override { return 1 << 20; }

  Result<ListPage> list(const RemoteParts& parts, const ListCall& call) const override {
    std::string folder(call.folder);
    if (!folder.ends_with('/')) folder += '/';
    ListPage page;
    PENSTOCK_TRY(add_folder(parts, folder, call.is_deep ? kMaxDepth : 0, page));
    return page;
  }

 private:
  // With the folders below it, so many deep.
  static Status add_folder(const RemoteParts& parts, const std::string& folder, int depth,
                           ListPage& page) {
    PENSTOCK_TRY_ASSIGN(const HttpResponse response,
                        run_call(parts, {.method = "GET", .path = folder}));
    if (response.header("content-type").starts_with("application/json")) {
      PENSTOCK_TRY(add_json_listing(folder, response.text, page));
    } else {
      add_html_listing(folder, response.text, page);
    }
    if (depth == 0) return {};
    const std::vector<std::string> folders = std::exchange(page.folders, {});
    if (!folders.empty() && depth == 1) {
      return unsupported(folder, ": more than ", kMaxDepth,
                         " folders deep, which may be a loop of links");
    }
    for (const std::string& inner : folders) {
      PENSTOCK_TRY(add_folder(parts, inner + '/', depth - 1, page));
    }
    return {};
  }

  const std::string token_;
};

}  // namespace

Result<std::unique_ptr<Storage>> make_http_storage(const RemoteContext& context) {
  return make_remote_storage(std::make_unique<HttpDialect>(token_of_environment()), context.client,
                             context.options);
}

}  // namespace penstock::storage
