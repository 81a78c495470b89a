// The answer to one request, as its bytes come in.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "penstock/storage/http/exchange.h"

namespace penstock::storage {

// Takes an answer apart: its code, its headers, and a body that goes to request.out or becomes
// text. The request outlives it.
class Answer {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Answer(const HttpRequest& request) : request_(request) {}

  // The request is sent now. Forgets what came before.
  void begin(Clock::time_point now);
  Clock::time_point begin_at() const { return begin_at_; }
  Clock::time_point last_progress() const { return last_progress_; }

  // "HTTP/1.1 206 Partial Content". There may have been other answers before it, which led here.
  void take_status_line(std::string_view line);
  // "Name: value".
  void take_header(std::string_view line);
  // False if it was more than wanted.
  bool take_body(std::string_view bytes);

  // True if the body goes to request.out as it comes.
  bool fills_out() const;
  // Where its next bytes go then.
  MutableBytes room() const { return request_.out.subspan(response_.num_received); }
  // So many bytes are in room() now.
  void count_received(std::size_t num_bytes);

  bool is_full() const { return is_full_; }  // more came than wanted
  const HttpResponse& response() const { return response_; }
  HttpResponse& response() { return response_; }

 private:
  const HttpRequest& request_;
  HttpResponse response_;
  Clock::time_point begin_at_{};
  Clock::time_point last_progress_{};
  std::uint64_t num_to_skip_ = 0;  // of a body that begins before the range
  bool is_full_ = false;
};

}  // namespace penstock::storage
