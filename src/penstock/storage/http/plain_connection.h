// One connection that speaks HTTP/1.1 without encryption, for reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/storage/http/answer.h"
#include "penstock/storage/http/exchange.h"

namespace penstock::storage {

// Receives the bytes of an answer where they belong: libcurl has a buffer of its own between socket
// and caller. Everything about an answer that is not plain (redirects, chunks, a body that begins
// before the range) is left to libcurl. Never waits.
class PlainConnection {
 public:
  // True if this way suits a request.
  static bool suits(const HttpRequest& request);

  // Takes a connected socket over.
  explicit PlainConnection(int socket) : socket_(socket) {}
  ~PlainConnection();
  PlainConnection(const PlainConnection&) = delete;
  PlainConnection& operator=(const PlainConnection&) = delete;

  int socket() const { return socket_; }
  // After an answer: whether the server lets it stay open for another request.
  bool can_go_on() const { return has_head_ && num_left_ == 0 && stays_open_; }
  // Between two requests: whether the server has closed it in the meantime.
  bool is_open() const;
  // When it broke: whether the server may have closed it before it saw the request.
  bool was_closed_before() const { return num_requests_ > 1 && head_.empty(); }

  enum class Progress {
    kUnderWay,
    kDone,
    kUnfit,   // not a plain answer; nothing of its body was taken
    kBroken,  // response().status says why
  };
  // Both are kUnderWay, or an end. Takes what has come so far.
  Progress send(const HttpRequest& request, Answer& answer);
  Progress receive(Answer& answer);

 private:
  Progress receive_head(Answer& answer);
  Progress receive_body(Answer& answer);
  Progress broken(Answer& answer, ssize_t num_bytes) const;
  // False if the answer is not plain.
  bool take_head(std::string_view head, Answer& answer);
  // Sleep until as many bytes have come, or all.
  void wait_for(std::uint64_t num_bytes);

  const int socket_;
  int num_requests_ = 0;
  int low_water_ = 1;
  std::string head_;  // of the answer, until it is complete
  bool has_head_ = false;
  bool stays_open_ = true;
  std::uint64_t num_left_ = 0;  // bytes of the body
};

// "Range: bytes=0-99", of a request that has one.
std::string range_header(const HttpRequest& request);

}  // namespace penstock::storage
