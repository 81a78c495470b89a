// Folders of the local file system.
#pragma once

#include <string_view>

#include "penstock/storage/storage.h"

namespace penstock::storage {

// As Storage::list_folder. Links are followed; what is neither a file nor a folder, and links that
// lead nowhere, are passed over.
Result<FolderListing> list_local_folder(std::string_view folder);

// As Storage::folder_modified_ns.
Result<std::int64_t> local_folder_modified_ns(std::string_view folder);

}  // namespace penstock::storage
