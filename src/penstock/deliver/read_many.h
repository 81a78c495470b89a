// Requests to several storages at once.
#pragma once

#include <span>
#include <stop_token>

#include "penstock/storage/storage.h"

namespace penstock::deliver {

// Answers all requests; request i is for storages[i]. Each storage hears of all its own at once.
void read_many(std::span<const storage::Storage* const> storages,
               std::span<storage::ReadRequest> requests, const std::stop_token& stop);

}  // namespace penstock::deliver
