// One client's connection, with a connection of its own to the upstream.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "http_message.h"
#include "options.h"
#include "relay.h"

namespace penstock::fault_proxy {

using Clock = std::chrono::steady_clock;

// What all sessions share.
struct Shared {
  Options options;
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;  // sent to clients
  std::array<std::uint64_t, kNumFaults> faults{};
  double tokens = 0;  // bytes that --rate allows now
};

class Session {
 public:
  enum class State { kWaiting, kBusy, kClosed };

  // Owns the sockets from now on.
  Session(Shared& shared, int client, int upstream);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // Does what can be done now; kBusy if there is more, but others should have their turn.
  State advance(Clock::time_point now);

  // The client or the upstream will send nothing more.
  void client_has_left() { close_orderly(); }
  void upstream_has_ended() { upstream_ended_ = true; }

  // Resets the client's connection.
  void close_reset();

  // When to advance again, whatever the sockets say, if that is after now.
  Clock::time_point wake_at() const { return wake_at_; }

 private:
  enum class Request { kHead, kBody, kDropped, kDone };
  enum class Response { kNone, kHead, kBody };

  bool step_request();
  bool step_response();
  void start_request(const Head& head);
  void start_answer();
  void start_response(const Head& head);
  bool step_body();
  bool act_in_body();
  void finish_response();
  std::string changed_length(const Head& head);
  std::uint64_t body_limit() const;

  void wait(double seconds);
  void happened();
  void close_orderly();

  Shared& shared_;
  int client_;
  int upstream_;
  Relay up_;
  Relay down_;
  Head request_head_;
  Request request_ = Request::kHead;
  Response response_ = Response::kNone;
  Draw draw_;
  std::optional<std::uint64_t> fault_at_;  // position in the body
  bool has_body_ = false;                  // the response
  bool closes_after_ = false;              // the connection, after the response
  bool upstream_ended_ = false;
  bool is_closed_ = false;
  Clock::time_point now_;
  Clock::time_point wake_at_;
};

}  // namespace penstock::fault_proxy
