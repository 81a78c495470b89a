// One range of one object, fetched in as many attempts as it takes.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "penstock/storage/remote/dialect.h"
#include "penstock/storage/remote/hedging.h"
#include "penstock/storage/remote/object_versions.h"
#include "penstock/storage/remote/retry.h"

namespace penstock::storage {

struct RemoteOptions {
  HttpTimeouts timeouts;
  RetryOptions retry;
  double hedge_percent = 95;  // of Hedging; 0: no request is made twice
};

// What transfers share; outlives them.
struct RemoteParts {
  const Dialect& dialect;
  HttpClient& client;
  ObjectVersions& versions;
  const RemoteOptions& options;
  Hedging* hedging = nullptr;  // null: no request is made twice
};

struct RangeRequest {
  std::string path;
  std::uint64_t offset = 0;
  MutableBytes out;
  std::stop_token stop;
};

// Fetches, and calls `done` once, from the client's thread. A broken transfer goes on where it
// broke. Fails as Storage::read says; with kCorrupt also if the object is not the one that was read
// before.
void start_transfer(const RemoteParts& parts, RangeRequest request,
                    std::function<void(Status)> done);

// One call with retries, for small answers; codes of 300 and more are failures. `done` is called
// once, from the client's thread. call.path and call.body live until then.
void start_call(const RemoteParts& parts, ObjectCall call, const std::stop_token& stop,
                std::function<void(Result<HttpResponse>)> done);

// The same, and waits.
Result<HttpResponse> run_call(const RemoteParts& parts, ObjectCall call,
                              const std::stop_token& stop = {});

// What a server's refusal means. It names the method, the code and the server's own words.
Status refusal_of(std::string_view method, const HttpResponse& response);

}  // namespace penstock::storage
