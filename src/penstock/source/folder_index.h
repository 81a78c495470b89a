// Finds the images below a folder.
#pragma once

#include <string_view>

#include "penstock/base/result.h"
#include "penstock/source/index.h"
#include "penstock/source/source.h"
#include "penstock/storage/storage.h"

namespace penstock::source {

// The endings that make a file an image, for messages.
std::string image_endings();

// By the ending, in upper or lower case.
bool is_image_name(std::string_view name);

// Reads the whole tree. Files and folders whose names begin with a dot are passed over. Fails as
// Storage::list_folder does.
Result<FolderIndex> index_folder(const storage::Storage& storage, std::string_view root,
                                 const ProgressFn& progress);

// Whether every folder still has the time it had when it was read. Nothing is listed: a file that
// was overwritten in place is not noticed.
bool is_current(const FolderIndex& index, const storage::Storage& storage, std::string_view root);

}  // namespace penstock::source
