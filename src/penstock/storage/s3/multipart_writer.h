// An object that is sent in parts while it is written.
#pragma once

#include <memory>
#include <string_view>

#include "penstock/storage/remote/transfer.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {

// Small objects go in one request. Of larger ones a few parts are held in memory; they become an
// object when commit() says so, and without it the server is told to forget them.
Result<std::unique_ptr<ObjectWriter>> make_multipart_writer(const RemoteParts& parts,
                                                            std::string_view path);

}  // namespace penstock::storage
