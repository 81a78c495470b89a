// Files behind a web server. What lies in a folder is read from the server's own listing.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "penstock/storage/catalog.h"
#include "penstock/storage/http/url.h"
#include "penstock/storage/remote/http_date.h"
#include "penstock/storage/remote/remote_storage.h"

namespace penstock::storage {
namespace {

bool is_inside(std::string_view link) {
  return !link.empty() && link.find_first_of("?#:") == std::string_view::npos &&
         !link.starts_with('/') && !link.starts_with("..") && link != "./";
}

// The links of a page that lead to what lies directly in its folder.
std::vector<std::string> links_of(std::string_view page) {
  constexpr std::string_view kAttribute = "href=\"";
  std::vector<std::string> links;
  for (std::size_t at = page.find(kAttribute); at != std::string_view::npos;
       at = page.find(kAttribute, at)) {
    at += kAttribute.size();
    std::string_view link = page.substr(at, page.find('"', at) - at);
    if (link.starts_with("./")) link.remove_prefix(2);
    if (is_inside(link)) links.emplace_back(link);
  }
  return links;
}

// Empty if there is none.
std::string_view text_of(const nlohmann::json& entry, const char* name) {
  const auto at = entry.is_object() ? entry.find(name) : entry.end();
  if (at == entry.end() || !at->is_string()) return {};
  return at->get_ref<const std::string&>();
}

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
      PENSTOCK_TRY(add_json(folder, response.text, page));
    } else {
      for (const std::string& link : links_of(response.text)) add_link(folder, link, page);
    }
    if (!is_deep) return {};
    const std::vector<std::string> folders = std::exchange(page.folders, {});
    for (const std::string& inner : folders) {
      PENSTOCK_TRY(add_folder(parts, inner + '/', is_deep, page));
    }
    return {};
  }

  static void add_link(const std::string& folder, std::string_view link, ListPage& page) {
    if (link.ends_with('/')) {
      page.folders.push_back(concat(folder, link.substr(0, link.size() - 1)));
    } else {
      page.objects.push_back({.path = concat(folder, link)});
    }
  }

  // nginx: [{"name":"a.tar","type":"file","mtime":"Sun, 06 Nov 1994 08:49:37 GMT","size":10240}]
  static Status add_json(const std::string& folder, const std::string& text, ListPage& page) {
    const auto entries = nlohmann::json::parse(text, nullptr, false);
    if (!entries.is_array()) return corrupt("the server's listing is no JSON array");
    for (const auto& entry : entries) {
      const std::string name = escape_text(text_of(entry, "name"), false);
      if (name.empty()) return corrupt("an entry of the server's listing has no name");
      if (text_of(entry, "type") == "directory") {
        page.folders.push_back(folder + name);
        continue;
      }
      const auto size = entry.find("size");
      if (size == entry.end() || !size->is_number_unsigned()) {
        return corrupt("an entry of the server's listing has no size");
      }
      page.objects.push_back({.path = folder + name,
                              .size_bytes = size->get<std::uint64_t>(),
                              .modified_ns = parse_http_date(text_of(entry, "mtime"))});
    }
    page.has_sizes = true;
    return {};
  }
};

}  // namespace

Result<std::unique_ptr<Storage>> make_http_storage(const RemoteContext& context) {
  return make_remote_storage(std::make_unique<HttpDialect>(), context.client, context.options);
}

}  // namespace penstock::storage
