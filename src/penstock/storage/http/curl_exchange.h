// One exchange as libcurl sees it.
#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "penstock/storage/http/client.h"
#include "penstock/storage/http/exchange.h"

namespace penstock::storage {

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;

// A request, and what came of it so far. Stays where it is: libcurl holds pointers to it.
class CurlExchange {
 public:
  using Clock = std::chrono::steady_clock;

  // To be begun at `begin_at`, or later.
  CurlExchange(HttpRequest request, HttpClient::Done done, Clock::time_point begin_at)
      : request_(std::move(request)), done_(std::move(done)), begin_at_(begin_at) {}
  CurlExchange(const CurlExchange&) = delete;
  CurlExchange& operator=(const CurlExchange&) = delete;

  const HttpRequest& request() const { return request_; }
  const HttpResponse& response() const { return response_; }
  Clock::time_point begin_at() const { return begin_at_; }
  CURL* easy() const { return easy_.get(); }

  // Prepares a handle that was reset.
  void begin(Easy easy, const HttpClientOptions& options, int receive_bytes);

  // Why a begun exchange has to end now; ok if it has not.
  Status overdue(Clock::time_point now) const;

  // Calls request().watch, if it wants to be called.
  void watch(Clock::time_point now);

  // What libcurl says, or the client.
  void end(CURLcode code);
  void end(Status status) { response_.status = std::move(status); }

  // Hands the answer over. The handle goes back; null if there is none.
  Easy finish();

 private:
  struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  void set_options(const HttpClientOptions& options);
  void set_method();
  void set_headers();
  bool is_connected() const;

  static std::size_t take_header(char* data, std::size_t, std::size_t size, void* self);
  static std::size_t take_body(char* data, std::size_t, std::size_t size, void* self);
  void begin_answer(std::string_view status_line);
  void add_header(std::string_view line);
  bool add_body(std::string_view bytes);

  HttpRequest request_;
  HttpClient::Done done_;
  HttpResponse response_;
  Easy easy_;
  std::unique_ptr<curl_slist, ListDeleter> headers_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  Clock::time_point begin_at_;
  Clock::time_point last_progress_{};
  std::uint64_t num_to_skip_ = 0;  // of a body that begins before the range
  bool is_full_ = false;
};

}  // namespace penstock::storage
