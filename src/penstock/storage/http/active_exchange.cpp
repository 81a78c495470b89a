// Sets a handle up, and takes what libcurl delivers.
#include "penstock/storage/http/active_exchange.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace penstock::storage {
namespace {

// What libcurl reads at once: its largest if there is room, because each read wakes the sender. The
// bytes are still in a cache when they are copied to their place.
constexpr int kMinReceiveBytes = 64 << 10;
constexpr int kMaxReceiveBytes = 512 << 10;

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

void ActiveExchange::begin(Easy easy, const HttpClientOptions& options, int receive_bytes) {
  easy_ = std::move(easy);
  answer_.begin(Clock::now());
  set_options(options);
  curl_easy_setopt(
      easy_.get(), CURLOPT_BUFFERSIZE,
      static_cast<long>(std::clamp(receive_bytes, kMinReceiveBytes, kMaxReceiveBytes)));
  set_method();
  set_headers();
}

void ActiveExchange::connect(Easy easy, const HttpClientOptions& options) {
  easy_ = std::move(easy);
  answer_.begin(Clock::now());
  is_connecting_ = true;
  set_options(options);
  curl_easy_setopt(easy_.get(), CURLOPT_CONNECT_ONLY, 1L);
  curl_easy_setopt(easy_.get(), CURLOPT_FRESH_CONNECT, 1L);
}

PlainConnection::Progress ActiveExchange::send_by(PlainConnectionPtr connection) {
  if (!is_connecting_) answer_.begin(Clock::now());
  is_connecting_ = false;
  connection_ = std::move(connection);
  return connection_->send(request_, answer_);
}

void ActiveExchange::set_options(const HttpClientOptions& options) {
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

void ActiveExchange::set_method() {
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

void ActiveExchange::set_headers() {
  const auto append = [&](const std::string& line) {
    headers_.reset(curl_slist_append(headers_.release(), line.c_str()));
  };
  for (const std::string& header : request_.headers) append(header);
  if (request_.range_begin && !request_.out.empty()) {
    append(range_header(request_));
  }
  append("Expect:");  // libcurl would wait for a "100 Continue"
  curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, headers_.get());
}

Status ActiveExchange::overdue(Clock::time_point now) const {
  const auto since =
      std::chrono::duration_cast<std::chrono::milliseconds>(now - answer_.last_progress());
  const HttpTimeouts& limits = request_.timeouts;
  if (response().code != 0) {
    if (since <= limits.stall) return {};
    return io_error("no byte came for ", since.count(), " ms");
  }
  if (since > limits.connect && !is_connected()) {
    return io_error("no connection after ", since.count(), " ms");
  }
  if (since <= limits.first_byte) return {};
  return io_error("no answer after ", since.count(), " ms");
}

void ActiveExchange::watch(Clock::time_point now) {
  if (request_.watch && request_.watch(now - begin_at(), response().num_received)) {
    request_.watch = nullptr;
  }
}

bool ActiveExchange::is_connected() const {
  if (connection_ != nullptr) return true;
  curl_off_t connect_us = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_CONNECT_TIME_T, &connect_us);
  return connect_us > 0;
}

void ActiveExchange::end(CURLcode code) {
  if (answer_.is_full() || code == CURLE_OK) return;
  std::string message(error_[0] != '\0' ? error_.data() : curl_easy_strerror(code));
  message[0] = static_cast<char>(std::tolower(message[0]));
  HttpResponse& response = answer_.response();
  response.status = io_error(message);
  response.hope = hope_after(code);
}

void ActiveExchange::finish() {
  HttpResponse& response = answer_.response();
  char* url = nullptr;
  if (easy_ != nullptr) curl_easy_getinfo(easy_.get(), CURLINFO_EFFECTIVE_URL, &url);
  response.url = url != nullptr ? url : request_.url;
  response.total = Clock::now() - begin_at();
  const HttpClient::Done done = std::move(done_);
  done(std::move(response));
}

std::size_t ActiveExchange::take_header(char* data, std::size_t, std::size_t size, void* self) {
  const std::string_view line(data, size);
  Answer& answer = static_cast<ActiveExchange*>(self)->answer_;
  if (line.starts_with("HTTP/")) {
    answer.take_status_line(line);
  } else {
    answer.take_header(line);
  }
  return size;
}

std::size_t ActiveExchange::take_body(char* data, std::size_t, std::size_t size, void* self) {
  const bool wants_more = static_cast<ActiveExchange*>(self)->answer_.take_body({data, size});
  return wants_more ? size : CURL_WRITEFUNC_ERROR;
}

}  // namespace penstock::storage
