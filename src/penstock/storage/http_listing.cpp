// HTML by its links alone: servers differ in everything else.
#include "penstock/storage/http_listing.h"

#include <nlohmann/json.hpp>
#include <string>

#include "penstock/storage/http/url.h"
#include "penstock/storage/remote/http_date.h"

namespace penstock::storage {
namespace {

bool is_inside(std::string_view link) {
  return !link.empty() && link.find_first_of("?#:") == std::string_view::npos &&
         !link.starts_with('/') && !link.starts_with("..") && link != "./";
}

void add_link(std::string_view folder, std::string_view link, ListPage& page) {
  if (link.ends_with('/')) {
    page.folders.push_back(concat(folder, link.substr(0, link.size() - 1)));
  } else {
    page.objects.push_back({.path = concat(folder, link)});
  }
}

// Empty if there is none.
std::string_view text_of(const nlohmann::json& entry, const char* name) {
  const auto at = entry.is_object() ? entry.find(name) : entry.end();
  if (at == entry.end() || !at->is_string()) return {};
  return at->get_ref<const std::string&>();
}

}  // namespace

void add_html_listing(std::string_view folder, std::string_view text, ListPage& page) {
  constexpr std::string_view kAttribute = "href=\"";
  for (std::size_t at = text.find(kAttribute); at != std::string_view::npos;
       at = text.find(kAttribute, at)) {
    at += kAttribute.size();
    std::string_view link = text.substr(at, text.find('"', at) - at);
    if (link.starts_with("./")) link.remove_prefix(2);
    if (is_inside(link)) add_link(folder, link, page);
  }
}

Status add_json_listing(std::string_view folder, std::string_view text, ListPage& page) {
  const auto entries = nlohmann::json::parse(text, nullptr, false);
  if (!entries.is_array()) return corrupt("the server's listing is no JSON array");
  for (const auto& entry : entries) {
    const std::string name = escape_text(text_of(entry, "name"), false);
    if (name.empty()) return corrupt("an entry of the server's listing has no name");
    if (text_of(entry, "type") == "directory") {
      page.folders.push_back(concat(folder, name));
      continue;
    }
    const auto size = entry.find("size");
    if (size == entry.end() || !size->is_number_unsigned()) {
      return corrupt("an entry of the server's listing has no size");
    }
    page.objects.push_back({.path = concat(folder, name),
                            .size_bytes = size->get<std::uint64_t>(),
                            .modified_ns = parse_http_date(text_of(entry, "mtime"))});
  }
  page.has_sizes = true;
  return {};
}

}  // namespace penstock::storage
