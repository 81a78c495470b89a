// When a request that failed is made again.
#pragma once

#include <chrono>
#include <optional>

#include "penstock/base/rng.h"
#include "penstock/storage/http/exchange.h"

namespace penstock::storage {

struct RetryOptions {
  // From the first failure on, unless bytes come in between.
  std::chrono::milliseconds give_up_after{60'000};
  std::chrono::milliseconds first_delay{100};
  std::chrono::milliseconds max_delay{5'000};
};

// Whether the same request may well succeed if it is made again: a broken connection, bytes
// that were damaged on their way, a server that is busy, away or at its limit.
bool is_transient(const HttpResponse& response);

// The attempts of one request. Not thread-safe.
class Retry {
 public:
  using Clock = std::chrono::steady_clock;

  Retry(const RetryOptions& options, Rng rng) : options_(options), rng_(rng) {}

  // How long to wait before the next attempt: as long as the server says, or a random part of a
  // time that doubles. nullopt: no more.
  std::optional<std::chrono::milliseconds> next_delay(const HttpResponse& response,
                                                      Clock::time_point now);
  // Bytes came.
  void note_progress() { first_failure_.reset(); }

  int num_attempts() const { return num_failures_; }

 private:
  RetryOptions options_;
  Rng rng_;
  int num_failures_ = 0;  // in all
  int num_in_a_row_ = 0;
  std::optional<Clock::time_point> first_failure_;
};

}  // namespace penstock::storage
