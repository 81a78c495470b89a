// Checksums of whole objects, as servers send them along.
#pragma once

#include <cstdint>
#include <optional>

#include "penstock/base/array.h"
#include "penstock/base/status.h"
#include "penstock/storage/http/exchange.h"

namespace penstock::storage {

// The CRC-32C of the object as its store keeps it; nullopt if the server says none. Other kinds are
// passed over: MD5 would take longer than the transfer.
std::optional<std::uint32_t> stated_crc32c(const HttpResponse& response);

// kCorrupt if these are not the bytes that the server has a checksum of; ok if it says none.
Status check_object(Bytes object, const HttpResponse& response);

}  // namespace penstock::storage
