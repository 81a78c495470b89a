// Sets a handle up, and takes what libcurl delivers.
#include "penstock/storage/http/curl_exchange.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace penstock::storage {
namespace {

constexpr std::size_t kMaxText = 8 << 20;
// What libcurl reads at once: its largest if there is room, because each read wakes the sender. The
// bytes are still in a cache when they are copied to their place.
constexpr int kMinReceiveBytes = 64 << 10;
constexpr int kMaxReceiveBytes = 512 << 10;

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; }

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = lower_case(c);
  return lower;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// "HTTP/1.1 206 Partial Content": 206.
int code_of(std::string_view status_line) {
  int code = 0;
  const std::size_t space = std::min(status_line.find(' '), status_line.size() - 1);
  std::from_chars(status_line.data() + space + 1, status_line.data() + status_line.size(), code);
  return code;
}

// How long it makes sense to try again after a failure.
std::chrono::milliseconds hope_after(CURLcode code) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_TOO_MANY_REDIRECTS:
      return std::chrono::milliseconds(0);
    // A name server may stumble, but mostly the name is wrong.
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return std::chrono::seconds(5);
    default:
      return std::chrono::milliseconds::max();
  }
}

}  // namespace

void CurlExchange::begin(Easy easy, const HttpClientOptions& options, int receive_bytes) {
  easy_ = std::move(easy);
  begin_at_ = last_progress_ = Clock::now();
  set_options(options);
  curl_easy_setopt(
      easy_.get(), CURLOPT_BUFFERSIZE,
      static_cast<long>(std::clamp(receive_bytes, kMinReceiveBytes, kMaxReceiveBytes)));
  set_method();
  set_headers();
}

void CurlExchange::set_options(const HttpClientOptions& options) {
  CURL* easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_URL, request_.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, request_.follows_redirects ? 1L : 0L);
  curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(easy, CURLOPT_POSTREDIR, static_cast<long>(CURL_REDIR_POST_ALL));
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_.data());
  if (options.uses_netrc) {
    curl_easy_setopt(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
  }
  if (!options.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
}

void CurlExchange::set_method() {
  CURL* easy = easy_.get();
  const std::string& method = request_.method;
  if (method == "HEAD") curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  const bool may_lack_body = method == "GET" || method == "HEAD" || method == "DELETE";
  if (method != "HEAD") curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  if (may_lack_body && request_.body.empty()) return;
  const auto size = static_cast<curl_off_t>(request_.body.size());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, size);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS,
                   size == 0 ? "" : reinterpret_cast<const char*>(request_.body.data()));
}

void CurlExchange::set_headers() {
  const auto append = [&](const std::string& line) {
    headers_.reset(curl_slist_append(headers_.release(), line.c_str()));
  };
  for (const std::string& header : request_.headers) append(header);
  if (request_.range_begin && !request_.out.empty()) {
    append(concat("Range: bytes=", *request_.range_begin, "-",
                  *request_.range_begin + request_.out.size() - 1));
  }
  append("Expect:");  // libcurl would wait for a "100 Continue"
  curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, headers_.get());
}

Status CurlExchange::overdue(Clock::time_point now) const {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now - last_progress_);
  const HttpTimeouts& limits = request_.timeouts;
  if (response_.code != 0) {
    if (since <= limits.stall) return {};
    return io_error("no byte came for ", since.count(), " ms");
  }
  if (since > limits.connect && !is_connected()) {
    return io_error("no connection after ", since.count(), " ms");
  }
  if (since <= limits.first_byte) return {};
  return io_error("no answer after ", since.count(), " ms");
}

void CurlExchange::watch(Clock::time_point now) {
  if (request_.watch && request_.watch(now - begin_at_, response_.num_received)) {
    request_.watch = nullptr;
  }
}

bool CurlExchange::is_connected() const {
  curl_off_t connect_us = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_CONNECT_TIME_T, &connect_us);
  return connect_us > 0;
}

void CurlExchange::end(CURLcode code) {
  if (is_full_ || code == CURLE_OK) return;
  std::string message(error_[0] != '\0' ? error_.data() : curl_easy_strerror(code));
  message[0] = lower_case(message[0]);
  response_.status = io_error(message);
  response_.hope = hope_after(code);
}

Easy CurlExchange::finish() {
  if (easy_ != nullptr) {
    char* url = nullptr;
    curl_easy_getinfo(easy_.get(), CURLINFO_EFFECTIVE_URL, &url);
    if (url != nullptr) response_.url = url;
  }
  response_.total = Clock::now() - begin_at_;
  const HttpClient::Done done = std::move(done_);
  done(std::move(response_));
  return std::move(easy_);
}

std::size_t CurlExchange::take_header(char* data, std::size_t, std::size_t size, void* self) {
  const std::string_view line(data, size);
  auto* exchange = static_cast<CurlExchange*>(self);
  if (line.starts_with("HTTP/")) {
    exchange->begin_answer(line);
  } else {
    exchange->add_header(line);
  }
  return size;
}

// There may have been others before it, which led here.
void CurlExchange::begin_answer(std::string_view status_line) {
  last_progress_ = Clock::now();
  response_.code = code_of(status_line);
  response_.headers.clear();
  response_.text.clear();
  response_.first_byte = last_progress_ - begin_at_;
  num_to_skip_ = response_.code == 200 ? request_.range_begin.value_or(0) : 0;
}

void CurlExchange::add_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  response_.headers.emplace_back(lower_case(trimmed(line.substr(0, colon))),
                                 trimmed(line.substr(colon + 1)));
}

std::size_t CurlExchange::take_body(char* data, std::size_t, std::size_t size, void* self) {
  const bool wants_more = static_cast<CurlExchange*>(self)->add_body({data, size});
  return wants_more ? size : CURL_WRITEFUNC_ERROR;
}

// False if it was more than wanted.
bool CurlExchange::add_body(std::string_view bytes) {
  last_progress_ = Clock::now();
  const bool is_content = response_.code == 200 || response_.code == 206;
  if (!is_content || request_.out.empty()) {
    response_.text.append(bytes.substr(0, kMaxText - response_.text.size()));
    return true;
  }
  const std::size_t num_skipped = std::min<std::uint64_t>(num_to_skip_, bytes.size());
  num_to_skip_ -= num_skipped;
  bytes.remove_prefix(num_skipped);
  const MutableBytes room = request_.out.subspan(response_.num_received);
  const std::size_t num_taken = std::min(room.size(), bytes.size());
  if (num_taken > 0) std::memcpy(room.data(), bytes.data(), num_taken);
  response_.num_received += num_taken;
  is_full_ = num_taken < bytes.size();
  return !is_full_;
}

}  // namespace penstock::storage
