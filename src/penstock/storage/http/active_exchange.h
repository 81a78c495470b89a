// One exchange on its way, by libcurl or by a plain connection.
#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "penstock/storage/http/answer.h"
#include "penstock/storage/http/client.h"
#include "penstock/storage/http/exchange.h"
#include "penstock/storage/http/plain_connection.h"

namespace penstock::storage {

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;
using PlainConnectionPtr = std::unique_ptr<PlainConnection>;

// A request, and what came of it so far. Stays where it is: libcurl holds pointers to it.
class ActiveExchange {
 public:
  using Clock = Answer::Clock;

  // To be begun at `due`, or later.
  ActiveExchange(HttpRequest request, HttpClient::Done done, Clock::time_point due)
      : request_(std::move(request)), done_(std::move(done)), due_(due), answer_(request_) {}
  ActiveExchange(const ActiveExchange&) = delete;
  ActiveExchange& operator=(const ActiveExchange&) = delete;

  const HttpRequest& request() const { return request_; }
  const HttpResponse& response() const { return answer_.response(); }
  Clock::time_point due() const { return due_; }
  Clock::time_point begin_at() const { return answer_.begin_at(); }

  // Begins by libcurl, with a handle that was reset.
  void begin(Easy easy, const HttpClientOptions& options, int receive_bytes);

  // Begins with a connection that libcurl makes, for send_by().
  void connect(Easy easy, const HttpClientOptions& options);
  bool is_connecting() const { return is_connecting_; }

  // Sends the request that way. Also a beginning, if nothing began before.
  PlainConnection::Progress send_by(PlainConnectionPtr connection);
  PlainConnection::Progress receive() { return connection_->receive(answer_); }
  const PlainConnection* connection() const { return connection_.get(); }
  PlainConnectionPtr take_connection() { return std::move(connection_); }

  // Of libcurl; null if it has no part in it.
  CURL* easy() const { return easy_.get(); }
  Easy take_easy() { return std::move(easy_); }

  // Why a begun exchange has to end now; ok if it has not.
  Status overdue(Clock::time_point now) const;

  // Calls request().watch, if it wants to be called.
  void watch(Clock::time_point now);

  // What libcurl says, or the client.
  void end(CURLcode code);
  void end(Status status) { answer_.response().status = std::move(status); }

  // Hands the answer over.
  void finish();

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

  HttpRequest request_;
  HttpClient::Done done_;
  Clock::time_point due_;
  Answer answer_;
  Easy easy_;
  std::unique_ptr<curl_slist, ListDeleter> headers_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  bool is_connecting_ = false;
  PlainConnectionPtr connection_;
};

}  // namespace penstock::storage
