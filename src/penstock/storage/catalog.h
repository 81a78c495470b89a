// Which storage serves a url.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "penstock/base/result.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {

struct SchemeDef {
  std::string_view scheme;  // "file" of file://...; empty for a plain path
  std::unique_ptr<Storage> (*make)();
};

std::span<const SchemeDef> schemes();

// Fails with kUnsupported, naming the schemes that are known.
Result<std::unique_ptr<Storage>> make_storage(std::string_view url);

// What that storage calls the object: the url without "scheme://". Nothing is unescaped.
std::string_view path_of_url(std::string_view url);

}  // namespace penstock::storage
