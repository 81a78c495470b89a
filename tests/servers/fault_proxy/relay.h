// One direction of a connection: messages come from one socket and go to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http_message.h"

namespace penstock::fault_proxy {

// Sockets are non-blocking and belong to the caller. Every call does what it can do now; the caller
// calls again when a socket is ready.
class Relay {
 public:
  Relay(int from, int to);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  // The next head, once it is all there.
  std::optional<Head> read_head();

  // A message begins: its head as it is to be sent, and its body, which is still to come.
  void begin(std::string head, Body body);

  // Sends the head; false if some of it is left. Adds what it sent to `sent`.
  bool send_head(std::uint64_t& sent);

  // Sends at most `limit` bytes of the body; how many it sent.
  std::size_t send_body(std::uint64_t limit);

  // Receives the body and drops it.
  void drop_body();

  // Changes the next byte of the body; false if it is not there yet. All before it must be sent.
  bool corrupt_next_byte();

  // The head was sent, and all of the body was sent or dropped.
  bool is_done() const;

  // Bytes of the body sent so far.
  std::uint64_t position() const { return position_; }

  // `from` has nothing more to give, or one of the two is broken.
  bool has_ended() const { return has_ended_; }
  bool is_broken() const { return is_broken_; }

 private:
  std::string_view buffered() const;
  bool receive();
  bool can_splice() const;
  std::size_t send_buffered(std::uint64_t limit);
  std::size_t splice_body(std::uint64_t limit);
  std::size_t checked(std::int64_t result);

  int from_;
  int to_;
  int pipe_[2] = {-1, -1};
  std::size_t in_pipe_ = 0;

  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;  // in the buffer, of what is not sent
  std::size_t end_ = 0;
  std::size_t of_body_ = 0;  // how much after begin_ is known to belong to the body

  std::string head_;
  std::size_t head_sent_ = 0;
  Body body_ = Body::none();
  std::uint64_t position_ = 0;
  bool has_ended_ = false;
  bool is_broken_ = false;
};

}  // namespace penstock::fault_proxy
