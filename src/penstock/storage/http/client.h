// Many HTTP exchanges at once, driven by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "penstock/base/result.h"
#include "penstock/storage/http/exchange.h"

namespace penstock::storage {

// What a client holds of the answers of one server, besides the memory that callers gave.
inline constexpr int kHttpReceiveBytes = 16 << 20;

struct HttpClientOptions {
  std::string ca_file;  // certificates to trust; empty: the system's
  bool uses_netrc = true;
  // Reads without encryption may go past libcurl; false where libcurl knows what we do not (a
  // proxy, .netrc).
  bool may_be_plain = false;
  int max_in_flight = 256;  // to one host
  std::stop_token stop;     // ends all exchanges, and those that are started later
};

// What a client did so far.
struct HttpCounters {
  std::uint64_t requests = 0;     // begun
  std::uint64_t connections = 0;  // opened
  std::uint64_t in_flight = 0;    // now
  std::uint64_t received_bytes = 0;
};

// Keeps connections open between exchanges. How many exchanges a host gets at once is found by
// measuring (InFlightLimit); the others wait their turn. Safe from any thread.
class HttpClient {
 public:
  using Done = std::function<void(HttpResponse)>;

  static Result<std::unique_ptr<HttpClient>> make(const HttpClientOptions& options);
  // Ends all exchanges, with kCancelled.
  virtual ~HttpClient() = default;

  // `done` is called once, from the client's thread, which it must not keep waiting; after a delay
  // if one is given. request.stop ends the exchange at once, with kCancelled.
  virtual void start(HttpRequest request, Done done, std::chrono::milliseconds delay = {}) = 0;

  // start(), and waits.
  HttpResponse run(HttpRequest request);

  virtual HttpCounters counters() const = 0;
};

}  // namespace penstock::storage
