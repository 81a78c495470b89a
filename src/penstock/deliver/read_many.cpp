// Mostly there is one storage.
#include "penstock/deliver/read_many.h"

#include <algorithm>
#include <map>
#include <vector>

namespace penstock::deliver {

void read_many(std::span<const storage::Storage* const> storages,
               std::span<storage::ReadRequest> requests, const std::stop_token& stop) {
  if (requests.empty()) return;
  const storage::Storage* const first = storages.front();
  if (std::ranges::all_of(storages, [&](const auto* storage) { return storage == first; })) {
    first->read(requests, stop);
    return;
  }
  std::map<const storage::Storage*, std::vector<std::size_t>> by_storage;
  for (std::size_t i = 0; i < storages.size(); ++i) by_storage[storages[i]].push_back(i);
  for (const auto& [storage, numbers] : by_storage) {
    std::vector<storage::ReadRequest> own;
    own.reserve(numbers.size());
    for (const std::size_t i : numbers) own.push_back(requests[i]);
    storage->read(own, stop);
    for (std::size_t i = 0; i < numbers.size(); ++i) requests[numbers[i]].status = own[i].status;
  }
}

}  // namespace penstock::deliver
