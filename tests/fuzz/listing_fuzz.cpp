// Parses arbitrary text as each kind of listing that a server sends. What is accepted must lie
// below the folder that was asked for, and what is refused must say why.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "penstock/storage/ais_listing.h"
#include "penstock/storage/http_listing.h"
#include "penstock/storage/s3/listing.h"

namespace {

using penstock::storage::ListPage;

constexpr std::string_view kRoot = "x://bucket/";

// Aborts on a broken promise.
void require(bool is_true) {
  if (!is_true) std::abort();
}

void check(const ListPage& page) {
  for (const auto& object : page.objects) require(object.path.starts_with(kRoot));
  for (const std::string& folder : page.folders) require(folder.starts_with(kRoot));
  require(page.etags.empty() || page.etags.size() == page.objects.size());
}

void check(const penstock::Result<ListPage>& page) {
  if (page.ok()) return check(*page);
  require(page.status().code() == penstock::Code::kCorrupt && !page.status().message().empty());
}

penstock::Result<ListPage> json_listing(std::string_view text) {
  ListPage page;
  const penstock::Status status = penstock::storage::add_json_listing(kRoot, text, page);
  if (!status.ok()) return status;
  return page;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock::storage;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(parse_s3_listing(text, kRoot, "a/"));
  check(parse_ais_listing(text, kRoot, std::nullopt));
  check(parse_ais_listing(text, kRoot, "a/"));
  check(json_listing(text));
  ListPage page;
  add_html_listing(kRoot, text, page);
  check(page);
  for (const auto& object : page.objects) require(object.path.size() > kRoot.size());
  return 0;
}
