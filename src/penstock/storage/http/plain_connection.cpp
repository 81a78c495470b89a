// HTTP/1.1 (RFC 9112), as far as an answer has a length and stands for itself.
#include "penstock/storage/http/plain_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "penstock/storage/http/numbers.h"
#include "penstock/storage/http/url.h"

namespace penstock::storage {
namespace {

constexpr std::string_view kScheme = "http://";
// Few enough that hardly anything of the body comes along and has to be copied.
constexpr std::size_t kHeadBytes = 2048;
constexpr std::size_t kMaxHeadBytes = 64 << 10;
constexpr std::size_t kTextBytes = 4096;
// Waking for every packet would take half as much CPU time again.
constexpr std::uint64_t kWorthWaking = 256 << 10;

// As libcurl writes it, which is what signatures are made for.
std::string_view host_header(std::string_view host) {
  constexpr std::string_view kDefaultPort = ":80";
  if (host.ends_with(kDefaultPort)) host.remove_suffix(kDefaultPort.size());
  return host;
}

std::string request_text(const HttpRequest& request) {
  const Url url = parse_url(request.url);
  const std::size_t target = kScheme.size() + url.host.size();
  std::string text = concat("GET ", url.path.empty() ? "/" : "", request.url.substr(target),
                            " HTTP/1.1\r\nHost: ", host_header(url.host), "\r\nAccept: */*\r\n");
  for (const std::string& header : request.headers) text += concat(header, "\r\n");
  if (request.range_begin) text += concat(range_header(request), "\r\n");
  text += "\r\n";
  return text;
}

// Of a "Connection" header, "Close" or "close, TE".
bool says_close(std::string_view header) {
  constexpr std::string_view kClose = "close";
  const auto is_same = [](char a, char b) { return std::tolower(a) == b; };
  return !std::ranges::search(header, kClose, is_same).empty();
}

}  // namespace

std::string range_header(const HttpRequest& request) {
  return concat("Range: bytes=", *request.range_begin, "-",
                *request.range_begin + request.out.size() - 1);
}

bool PlainConnection::suits(const HttpRequest& request) {
  return request.method == "GET" && request.body.empty() && !request.out.empty() &&
         request.url.starts_with(kScheme) && request.url.find_first_of("@#") == std::string::npos;
}

PlainConnection::~PlainConnection() { close(socket_); }

bool PlainConnection::is_open() const {
  char byte;
  const ssize_t num_bytes = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return num_bytes < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

PlainConnection::Progress PlainConnection::send(const HttpRequest& request, Answer& answer) {
  ++num_requests_;
  head_.clear();
  has_head_ = false;
  wait_for(1);
  const std::string text = request_text(request);
  const ssize_t num_sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (num_sent == static_cast<ssize_t>(text.size())) return Progress::kUnderWay;
  // A request that does not fit into an empty buffer is not plain.
  return num_sent >= 0 ? Progress::kUnfit : broken(answer, num_sent);
}

PlainConnection::Progress PlainConnection::receive(Answer& answer) {
  if (!has_head_) {
    const Progress progress = receive_head(answer);
    if (progress != Progress::kUnderWay || !has_head_) return progress;
  }
  return receive_body(answer);
}

PlainConnection::Progress PlainConnection::receive_head(Answer& answer) {
  std::array<char, kHeadBytes> buffer;
  const ssize_t num_bytes = recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (num_bytes <= 0) return broken(answer, num_bytes);
  const std::size_t looked_at = std::max<std::size_t>(head_.size(), 3) - 3;
  head_.append(buffer.data(), static_cast<std::size_t>(num_bytes));
  constexpr std::string_view kEnd = "\r\n\r\n";
  const std::size_t end = head_.find(kEnd, looked_at);
  if (end == std::string::npos) {
    return head_.size() < kMaxHeadBytes ? Progress::kUnderWay : Progress::kUnfit;
  }
  const std::string_view body = std::string_view(head_).substr(end + kEnd.size());
  if (!take_head(std::string_view(head_).substr(0, end), answer)) return Progress::kUnfit;
  if (body.size() > num_left_) return Progress::kUnfit;
  has_head_ = true;
  num_left_ -= body.size();
  answer.take_body(body);
  return Progress::kUnderWay;
}

bool PlainConnection::take_head(std::string_view head, Answer& answer) {
  if (!head.starts_with("HTTP/1.1 ")) return false;
  for (std::size_t begin = 0; begin < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", begin), head.size());
    const std::string_view line = head.substr(begin, end - begin);
    begin == 0 ? answer.take_status_line(line) : answer.take_header(line);
    begin = end + 2;
  }
  const HttpResponse& response = answer.response();
  if (!response.is_content() && response.code < 400) return false;
  const auto length = parse_number(response.header("content-length"));
  if (!length || !response.header("transfer-encoding").empty() ||
      !response.header("content-encoding").empty()) {
    return false;
  }
  if (response.is_content() && (!answer.fills_out() || *length > answer.room().size()))
    return false;
  stays_open_ = !says_close(response.header("connection"));
  num_left_ = *length;
  return true;
}

PlainConnection::Progress PlainConnection::receive_body(Answer& answer) {
  if (num_left_ == 0) return Progress::kDone;
  std::array<char, kTextBytes> text;
  const bool is_in_place = answer.fills_out();
  const std::size_t room = is_in_place ? answer.room().size() : text.size();
  const ssize_t num_bytes =
      recv(socket_, is_in_place ? static_cast<void*>(answer.room().data()) : text.data(),
           std::min<std::uint64_t>(num_left_, room), MSG_DONTWAIT);
  if (num_bytes <= 0) {
    const Progress progress = broken(answer, num_bytes);
    wait_for(num_left_);
    return progress;
  }
  const auto num_received = static_cast<std::size_t>(num_bytes);
  if (is_in_place) {
    answer.count_received(num_received);
  } else {
    answer.take_body({text.data(), num_received});
  }
  num_left_ -= num_received;
  if (num_left_ == 0) return Progress::kDone;
  wait_for(num_left_);
  return Progress::kUnderWay;
}

PlainConnection::Progress PlainConnection::broken(Answer& answer, ssize_t num_bytes) const {
  if (num_bytes < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    return Progress::kUnderWay;
  }
  HttpResponse& response = answer.response();
  if (num_bytes < 0) {
    std::string why = std::strerror(errno);
    why[0] = static_cast<char>(std::tolower(why[0]));
    response.status = io_error(why);
  } else if (has_head_) {
    response.status = io_error("the connection was closed with ", num_left_, " bytes to come");
  } else {
    response.status = io_error("the connection was closed before an answer came");
  }
  return Progress::kBroken;
}

void PlainConnection::wait_for(std::uint64_t num_bytes) {
  const int low_water = static_cast<int>(std::min(num_bytes, kWorthWaking));
  if (low_water == low_water_) return;
  low_water_ = low_water;
  setsockopt(socket_, SOL_SOCKET, SO_RCVLOWAT, &low_water, sizeof low_water);
}

}  // namespace penstock::storage
