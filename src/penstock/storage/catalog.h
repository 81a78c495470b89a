// Which storage serves a url.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "penstock/base/result.h"
#include "penstock/storage/remote/transfer.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {

// What storages are made of that speak to servers.
struct RemoteContext {
  std::shared_ptr<HttpClient> client;
  RemoteOptions options;
};

struct SchemeDef {
  std::string_view scheme;  // "file" of file://...; empty for a plain path
  // One of the two. Remote ones are given whole urls as paths.
  std::unique_ptr<Storage> (*make_local)() = nullptr;
  Result<std::unique_ptr<Storage>> (*make_remote)(const RemoteContext& context) = nullptr;
};

std::span<const SchemeDef> schemes();

// A storage for every url: its paths are urls, or plain paths for local files. What serves a scheme
// is made when it is needed first. Fails with kUnsupported, naming the schemes that are known, when
// it is given another.
// `stop` ends everything that is under way on a network, with kCancelled, now and from then on.
std::unique_ptr<Storage> make_storage(const std::stop_token& stop = {});

}  // namespace penstock::storage
