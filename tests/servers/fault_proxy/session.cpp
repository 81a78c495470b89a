// Passes requests up and responses down, one after the other, and does to them what was drawn.
#include "session.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string>

namespace penstock::fault_proxy {
namespace {

constexpr int kStepsPerTurn = 64;
constexpr double kTickSeconds = 0.1;        // of drip
constexpr double kRateWaitSeconds = 0.002;  // until there are new bytes to send under --rate
// A body without a length is faulted within its first bytes.
constexpr std::uint64_t kUnknownLength = 4096;

std::string error_answer(Fault fault, double retry_after_s) {
  const bool retries = fault != Fault::k500 && retry_after_s > 0;
  const std::string retry =
      retries ? "Retry-After: " + std::to_string(static_cast<int>(retry_after_s)) + "\r\n" : "";
  std::string status = "500 Internal Server Error";
  if (fault == Fault::k503) status = "503 Service Unavailable";
  if (fault == Fault::k429) status = "429 Too Many Requests";
  return "HTTP/1.1 " + status + "\r\n" + retry + "Content-Length: 0\r\n\r\n";
}

bool is_status(Fault fault) {
  return fault == Fault::k503 || fault == Fault::k429 || fault == Fault::k500;
}

// Happens at one place in the body.
bool has_place(Fault fault) {
  return fault == Fault::kReset || fault == Fault::kStall || fault == Fault::kTruncate ||
         fault == Fault::kCorrupt;
}

}  // namespace

Session::Session(Shared& shared, int client, int upstream)
    : shared_(shared),
      client_(client),
      upstream_(upstream),
      up_(client, upstream),
      down_(upstream, client) {}

Session::~Session() {
  if (client_ >= 0) close(client_);
  close(upstream_);
}

Session::State Session::advance(Clock::time_point now) {
  now_ = now;
  for (int step = 0; step < kStepsPerTurn; ++step) {
    if (is_closed_) return State::kClosed;
    const bool went_up = step_request();
    const bool went_down = !is_closed_ && step_response();
    if (!is_closed_ && (up_.is_broken() || down_.is_broken())) close_orderly();
    if (!is_closed_ && !went_up && !went_down) return State::kWaiting;
  }
  return is_closed_ ? State::kClosed : State::kBusy;
}

bool Session::step_request() {
  switch (request_) {
    case Request::kHead: {
      if (response_ != Response::kNone) return false;
      if (upstream_ended_) {
        close_orderly();
        return false;
      }
      const std::optional<Head> head = up_.read_head();
      if (head) start_request(*head);
      if (!head && up_.has_ended()) close_orderly();
      return head.has_value();
    }
    case Request::kBody: {
      std::uint64_t sent = 0;
      if (up_.send_head(sent)) sent += up_.send_body(std::numeric_limits<std::uint64_t>::max());
      if (up_.is_done()) request_ = Request::kDone;
      if (!up_.is_done() && up_.has_ended()) close_orderly();
      return sent > 0;
    }
    case Request::kDropped:
      up_.drop_body();
      if (!up_.is_done()) return false;
      request_ = Request::kDone;
      start_answer();
      return true;
    case Request::kDone:
      return false;
  }
  return false;
}

void Session::start_request(const Head& head) {
  request_head_ = head;
  draw_ = draw_fault(shared_.options, shared_.requests++);
  fault_at_.reset();
  if (draw_.fault == Fault::kReset && draw_.is_first_kind) {
    happened();
    close_reset();
    return;
  }
  if (is_status(draw_.fault)) {
    up_.begin("", Body::of_request(head));
    request_ = Request::kDropped;
    if (head.expects_continue) {
      down_.begin("HTTP/1.1 100 Continue\r\n\r\n", Body::none());
      down_.send_head(shared_.bytes);
    }
    return;
  }
  up_.begin(head.text, Body::of_request(head));
  request_ = Request::kBody;
  response_ = Response::kHead;
}

void Session::start_answer() {
  down_.begin(error_answer(draw_.fault, shared_.options.retry_after_s), Body::none());
  response_ = Response::kBody;
  has_body_ = false;
  closes_after_ = false;
  happened();
  wait(shared_.options.latency_ms / 1000);
}

bool Session::step_response() {
  if (response_ == Response::kNone || now_ < wake_at_) return false;
  if (response_ == Response::kBody) return step_body();
  if (!down_.send_head(shared_.bytes)) return false;
  const std::optional<Head> head = down_.read_head();
  if (!head) {
    if (down_.has_ended()) close_orderly();
    return false;
  }
  if (head->status() / 100 == 1) {
    down_.begin(head->text, Body::none());
  } else {
    start_response(*head);
  }
  return true;
}

void Session::start_response(const Head& head) {
  Body body = Body::of_response(request_head_, head);
  closes_after_ = head.closes_connection || body.ends_with_connection();
  has_body_ = !body.is_done();
  if (has_place(draw_.fault) && (has_body_ || draw_.fault != Fault::kCorrupt)) {
    const std::uint64_t length = body.left().value_or(kUnknownLength);
    fault_at_ = length == 0 ? 0 : draw_.where % length;
  }
  const bool changes = draw_.fault == Fault::kWrongLength && head.content_length;
  down_.begin(changes ? changed_length(head) : head.text, std::move(body));
  response_ = Response::kBody;
  if (draw_.fault == Fault::kDrip && has_body_) happened();
  wait(shared_.options.latency_ms / 1000);
}

// A length that is too large is followed by the end of the connection, one that is too small by
// bytes that belong to no response.
std::string Session::changed_length(const Head& head) {
  const std::uint64_t length = *head.content_length;
  const std::uint64_t difference = 1 + draw_.where % 100;
  happened();
  const bool is_larger = draw_.is_first_kind || length == 0;
  if (is_larger) closes_after_ = true;
  return with_content_length(
      head.text, is_larger ? length + difference : length - std::min(length, difference));
}

bool Session::step_body() {
  // What has no body to be faulted in is faulted before its head.
  if (!has_body_ && fault_at_) return act_in_body();
  if (!down_.send_head(shared_.bytes)) return false;
  if (!down_.is_done() && fault_at_ == down_.position()) return act_in_body();
  const std::uint64_t limit = body_limit();
  if (limit == 0) wait(kRateWaitSeconds);
  const std::size_t size = down_.send_body(limit);
  shared_.bytes += size;
  if (shared_.options.rate > 0) shared_.tokens -= static_cast<double>(size);
  if (down_.is_done()) {
    finish_response();
    return true;
  }
  if (size > 0 && draw_.fault == Fault::kDrip) wait(kTickSeconds);
  if (down_.has_ended()) close_orderly();
  return size > 0;
}

// Does what was drawn for this place; true if the response goes on at once.
bool Session::act_in_body() {
  if (draw_.fault == Fault::kCorrupt && !down_.corrupt_next_byte()) {
    if (down_.has_ended()) close_orderly();
    return false;
  }
  fault_at_.reset();
  happened();
  if (draw_.fault == Fault::kReset) close_reset();
  if (draw_.fault == Fault::kTruncate) close_orderly();
  if (draw_.fault == Fault::kStall) wait(shared_.options.stall_s);
  return draw_.fault == Fault::kCorrupt;
}

std::uint64_t Session::body_limit() const {
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  if (fault_at_) limit = *fault_at_ - down_.position();
  if (draw_.fault == Fault::kDrip) {
    const double tick = std::max(1.0, shared_.options.drip_rate * kTickSeconds);
    limit = std::min(limit, static_cast<std::uint64_t>(tick));
  }
  if (shared_.options.rate > 0) {
    limit = std::min(limit, static_cast<std::uint64_t>(std::max(0.0, shared_.tokens)));
  }
  return limit;
}

void Session::finish_response() {
  response_ = Response::kNone;
  if (closes_after_ || request_ != Request::kDone) {
    close_orderly();
    return;
  }
  request_ = Request::kHead;
}

void Session::wait(double seconds) {
  if (seconds <= 0) return;
  wake_at_ =
      now_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

void Session::happened() { ++shared_.faults[static_cast<std::size_t>(draw_.fault)]; }

void Session::close_orderly() {
  if (is_closed_) return;
  is_closed_ = true;
  shutdown(client_, SHUT_WR);
}

void Session::close_reset() {
  is_closed_ = true;
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(client_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

}  // namespace penstock::fault_proxy
