// One HTTP request and what came of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/status.h"

namespace penstock::storage {

// How long to wait for what.
struct HttpTimeouts {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds first_byte{30'000};  // of the answer, once the request is under way
  std::chrono::milliseconds stall{10'000};       // between two bytes
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;                   // escaped
  std::vector<std::string> headers;  // "Name: value"
  Bytes body;                        // lives until the exchange ends
  // Where the body of a 200 or 206 goes: as many bytes as there is room, from `range_begin` on if
  // it is given, whether the server knows ranges or not. Without room the body becomes text.
  MutableBytes out;
  std::optional<std::uint64_t> range_begin;
  bool follows_redirects = true;
  bool is_urgent =
      false;  // somebody waits for it already: it goes before those that wait their turn
  HttpTimeouts timeouts;
  std::stop_token stop;
  // Called again and again, from the client's thread, while the exchange is under way, until it
  // answers true; with the time since it was begun and the number of bytes in `out`, which stay as
  // they are.
  std::function<bool(std::chrono::nanoseconds elapsed, std::size_t num_received)> watch;
};

// Names in lower case, of the last answer if there were redirects.
using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpResponse {
  // What kept an answer from coming, or from being complete; ok with every code that a server sent.
  Status status;
  // How long it makes sense to try again: not at all if a certificate is refused.
  std::chrono::milliseconds hope = std::chrono::milliseconds::max();
  int code = 0;     // 0: none came
  std::string url;  // that answered, after redirects
  HttpHeaders headers;
  std::string text;              // the body that did not go to `out`, its first bytes if it is long
  std::size_t num_received = 0;  // bytes in `out`
  std::chrono::nanoseconds first_byte{0};  // until the answer began
  std::chrono::nanoseconds total{0};

  // Whether the body is the object, or the part of it that was asked for.
  bool is_content() const { return code == 200 || code == 206; }

  // Empty if there is none.
  std::string_view header(std::string_view lower_case_name) const {
    for (const auto& [name, value] : headers) {
      if (name == lower_case_name) return value;
    }
    return {};
  }
};

}  // namespace penstock::storage
