// A local file that is written in pieces and appears when it is complete.
#pragma once

#include <memory>
#include <string_view>

#include "penstock/storage/storage.h"

namespace penstock::storage {

// Makes the folders that are missing on the way. The bytes go into a file beside `path` whose name
// begins with a dot, so that nobody takes it for data, and which commit() renames.
Result<std::unique_ptr<ObjectWriter>> make_file_writer(std::string_view path);

}  // namespace penstock::storage
