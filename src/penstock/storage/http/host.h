// A server as the client sees it.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "penstock/storage/http/active_exchange.h"
#include "penstock/storage/http/in_flight_limit.h"

namespace penstock::storage {

using ExchangePtr = std::unique_ptr<ActiveExchange>;

// A server, and the requests that wait for it.
struct Host {
  explicit Host(int most) : limit(most) {}

  InFlightLimit limit;
  int num_in_flight = 0;
  std::deque<ExchangePtr> waiting;
  bool is_plain = true;  // answers so that a PlainConnection understands, as far as is known
  std::vector<PlainConnectionPtr> idle;
};

}  // namespace penstock::storage
