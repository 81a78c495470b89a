// Folders as web servers list them.
#pragma once

#include <string_view>

#include "penstock/base/status.h"
#include "penstock/storage/remote/dialect.h"

namespace penstock::storage {

// Adds what lies directly in `folder`, which ends with a slash, to `page`.

// The links of an HTML page.
void add_html_listing(std::string_view folder, std::string_view text, ListPage& page);

// nginx: [{"name":"a.tar","type":"file","mtime":"Sun, 06 Nov 1994 08:49:37 GMT","size":10240}]
// Fails with kCorrupt.
Status add_json_listing(std::string_view folder, std::string_view text, ListPage& page);

}  // namespace penstock::storage
