// {"continuation_token":"n1","entries":[{"name":"n1","size":"3000","flags":64}]}
#include "penstock/storage/ais_listing.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "penstock/storage/http/numbers.h"

namespace penstock::storage {
namespace {

std::string_view text_of(const nlohmann::json& object, const char* name) {
  const auto at = object.is_object() ? object.find(name) : object.end();
  if (at == object.end() || !at->is_string()) return {};
  return at->get_ref<const std::string&>();
}

void add_folder(std::string path, ListPage& page) {
  if (page.folders.empty() || page.folders.back() != path) page.folders.push_back(std::move(path));
}

}  // namespace

Result<ListPage> parse_ais_listing(std::string_view text, std::string_view root,
                                   std::optional<std::string_view> folder) {
  const auto answer = nlohmann::json::parse(text, nullptr, false);
  if (!answer.is_object()) return corrupt("the gateway's listing is no JSON object");
  ListPage page{.has_sizes = true};
  page.next = text_of(answer, "continuation_token");
  const auto entries = answer.find("entries");
  if (entries == answer.end() || !entries->is_array()) return page;
  for (const auto& entry : *entries) {
    const std::string_view name = text_of(entry, "name");
    if (name.empty()) return corrupt("an entry of the gateway's listing has no name");
    const std::string_view size = text_of(entry, "size");
    const auto size_bytes = size.empty() ? std::optional<std::uint64_t>(0) : parse_number(size);
    if (!size_bytes) {
      return corrupt("the gateway's listing says ", size, " for the size of ", name);
    }
    const std::size_t slash = folder ? name.find('/', folder->size()) : std::string_view::npos;
    if (slash == std::string_view::npos) {
      page.objects.push_back({concat(root, name), *size_bytes});
    } else {
      add_folder(concat(root, name.substr(0, slash)), page);
    }
  }
  return page;
}

}  // namespace penstock::storage
