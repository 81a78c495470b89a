// An object that is collected on the local disk and sent when it is complete.
#pragma once

#include <functional>
#include <memory>

#include "penstock/storage/storage.h"

namespace penstock::storage {

// `send` is called by commit(), with all bytes. They lie in a temporary file: memory stays small,
// nothing is left behind, and a broken request can be made again.
Result<std::unique_ptr<ObjectWriter>> make_spooled_writer(std::function<Status(Bytes)> send);

}  // namespace penstock::storage
