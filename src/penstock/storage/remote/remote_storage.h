// Storage behind HTTP requests.
#pragma once

#include <memory>

#include "penstock/storage/remote/dialect.h"
#include "penstock/storage/remote/transfer.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {

std::unique_ptr<Storage> make_remote_storage(std::unique_ptr<Dialect> dialect,
                                             std::shared_ptr<HttpClient> client,
                                             const RemoteOptions& options);

struct RemoteContext;

Result<std::unique_ptr<Storage>> make_http_storage(const RemoteContext& context);
Result<std::unique_ptr<Storage>> make_s3_storage(const RemoteContext& context);
Result<std::unique_ptr<Storage>> make_ais_storage(const RemoteContext& context);
Result<std::unique_ptr<Storage>> make_gs_storage(const RemoteContext& context);

}  // namespace penstock::storage
