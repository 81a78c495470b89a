// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
#include "penstock/storage/s3/listing.h"

#include <pugixml.hpp>
#include <string>

#include "penstock/storage/http/numbers.h"
#include "penstock/storage/http/url.h"
#include "penstock/storage/remote/http_date.h"

namespace penstock::storage {

Result<ListPage> parse_s3_listing(std::string_view text, std::string_view root,
                                  std::string_view prefix) {
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size())) {
    return corrupt("the server's listing is no XML");
  }
  const auto listing = document.child("ListBucketResult");
  if (!listing) return corrupt("the server's listing is no ListBucketResult");
  // Not every server does what was asked for.
  const bool is_escaped = std::string_view(listing.child_value("EncodingType")) == "url";
  const auto text_of = [&](const char* value) {
    return is_escaped ? unescape_text(value) : std::string(value);
  };
  ListPage page{.has_sizes = true};
  for (const auto entry : listing.children("Contents")) {
    const std::string key = text_of(entry.child_value("Key"));
    // An empty object that stands for the folder itself, or for one below.
    if (key == prefix || key.ends_with('/')) continue;
    const auto size = parse_number(entry.child_value("Size"));
    if (!size) return corrupt("the server's listing has no size of ", key);
    page.objects.push_back(
        {concat(root, key), *size, parse_iso_date(entry.child_value("LastModified"))});
    page.etags.emplace_back(entry.child_value("ETag"));
  }
  for (const auto folder : listing.children("CommonPrefixes")) {
    std::string inner = text_of(folder.child_value("Prefix"));
    if (inner.ends_with('/')) inner.pop_back();
    page.folders.push_back(concat(root, inner));
  }
  if (std::string_view(listing.child_value("IsTruncated")) == "true") {
    page.next = listing.child_value("NextContinuationToken");
  }
  return page;
}

}  // namespace penstock::storage
