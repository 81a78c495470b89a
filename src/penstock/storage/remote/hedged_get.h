// A GET that is made twice if it is late.
#pragma once

#include "penstock/storage/http/client.h"
#include "penstock/storage/remote/hedging.h"

namespace penstock::storage {

// As client.start(), for a request that has room for its answer. If the answer is late, the rest of
// it is asked for a second time, into memory of its own. The first that has everything wins, the
// other is stopped. If the second wins, its bytes are put behind those that the first had brought,
// once the first has ended; `done` sees one answer. If both fail it sees the first's. After `done`
// neither touches request.out or `hedging`.
void start_hedged(HttpClient& client, Hedging& hedging, HttpRequest request, HttpClient::Done done,
                  std::chrono::milliseconds delay);

}  // namespace penstock::storage
