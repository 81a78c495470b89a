// Small bodies go through a buffer, which finds their end; large ones of known length through a
// pipe, so that they are not copied.
#include "relay.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace penstock::fault_proxy {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr int kPipeBytes = 1024 * 1024;
constexpr std::size_t kSpliceFromBytes = 64 * 1024;

}  // namespace

Relay::Relay(int from, int to)
    : from_(from), to_(to), buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

Relay::~Relay() {
  if (pipe_[0] < 0) return;
  close(pipe_[0]);
  close(pipe_[1]);
}

std::string_view Relay::buffered() const { return {buffer_.get() + begin_, end_ - begin_}; }

std::optional<Head> Relay::read_head() {
  std::size_t size = head_size(buffered());
  while (size == 0 && receive()) size = head_size(buffered());
  if (size == 0) return std::nullopt;
  Head head = parse_head(buffered().substr(0, size));
  begin_ += size;
  return head;
}

void Relay::begin(std::string head, Body body) {
  head_ = std::move(head);
  head_sent_ = 0;
  body_ = std::move(body);
  position_ = 0;
  of_body_ = 0;
}

bool Relay::send_head(std::uint64_t& sent) {
  while (head_sent_ < head_.size()) {
    // What follows at once goes into the same packet.
    const int more = body_.is_done() ? 0 : MSG_MORE;
    const std::size_t size = checked(send(to_, head_.data() + head_sent_, head_.size() - head_sent_,
                                          MSG_NOSIGNAL | (buffered().empty() ? 0 : more)));
    if (size == 0) return false;
    head_sent_ += size;
    sent += size;
  }
  return true;
}

std::size_t Relay::send_body(std::uint64_t limit) {
  if (limit == 0) return 0;
  const std::size_t sent = can_splice() ? splice_body(limit) : send_buffered(limit);
  position_ += sent;
  return sent;
}

void Relay::drop_body() {
  do {
    begin_ += body_.take(buffered());
  } while (!body_.is_done() && receive());
}

bool Relay::corrupt_next_byte() {
  if (of_body_ == 0) {
    if (buffered().empty()) receive();
    of_body_ = body_.take(buffered());
  }
  if (of_body_ == 0) return false;
  buffer_[begin_] ^= 1;
  return true;
}

bool Relay::is_done() const {
  if (head_sent_ < head_.size() || of_body_ > 0 || in_pipe_ > 0) return false;
  return body_.is_done() || (body_.ends_with_connection() && has_ended_);
}

// Appends to the buffer; false if nothing came or nothing fits.
bool Relay::receive() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (has_ended_ || is_broken_) return false;
  if (end_ == kBufferBytes && begin_ > 0) {
    std::copy(buffer_.get() + begin_, buffer_.get() + end_, buffer_.get());
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == kBufferBytes) {
    is_broken_ = true;
    return false;
  }
  const ssize_t size = recv(from_, buffer_.get() + end_, kBufferBytes - end_, 0);
  if (size == 0) has_ended_ = true;
  const std::size_t received = checked(size);
  end_ += received;
  return received > 0;
}

bool Relay::can_splice() const {
  if (in_pipe_ > 0) return true;
  return buffered().empty() && body_.left().value_or(0) >= kSpliceFromBytes;
}

std::size_t Relay::send_buffered(std::uint64_t limit) {
  if (buffered().empty()) receive();
  if (of_body_ == 0) of_body_ = body_.take(buffered());
  const std::size_t size = std::min<std::uint64_t>(of_body_, limit);
  if (size == 0) return 0;
  const std::size_t sent = checked(send(to_, buffer_.get() + begin_, size, MSG_NOSIGNAL));
  begin_ += sent;
  of_body_ -= sent;
  return sent;
}

std::size_t Relay::splice_body(std::uint64_t limit) {
  constexpr unsigned kFlags = SPLICE_F_MOVE | SPLICE_F_NONBLOCK;
  if (pipe_[0] < 0) {
    is_broken_ = pipe2(pipe_, O_NONBLOCK | O_CLOEXEC) != 0;
    if (is_broken_) return 0;
    fcntl(pipe_[1], F_SETPIPE_SZ, kPipeBytes);
  }
  if (in_pipe_ == 0) {
    const std::uint64_t size = std::min<std::uint64_t>({limit, *body_.left(), kPipeBytes});
    const ssize_t moved = splice(from_, nullptr, pipe_[1], nullptr, size, kFlags);
    if (moved == 0) has_ended_ = true;
    in_pipe_ = checked(moved);
    body_.skip(in_pipe_);
  }
  if (in_pipe_ == 0) return 0;
  const std::size_t sent = checked(splice(pipe_[0], nullptr, to_, nullptr, in_pipe_, kFlags));
  in_pipe_ -= sent;
  return sent;
}

// Bytes that a call moved, 0 if it would block. Any other failure breaks the relay.
std::size_t Relay::checked(std::int64_t result) {
  if (result >= 0) return static_cast<std::size_t>(result);
  if (errno != EAGAIN && errno != EINTR) is_broken_ = true;
  return 0;
}

}  // namespace penstock::fault_proxy
