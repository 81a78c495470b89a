// libcurl's multi interface, with epoll in place of its own loop, and plain connections beside it.
#include "penstock/storage/http/client.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "penstock/storage/http/active_exchange.h"
#include "penstock/storage/http/host.h"
#include "penstock/storage/http/poller.h"
#include "penstock/storage/http/url.h"

namespace penstock::storage {
namespace {

using Clock = ActiveExchange::Clock;

// How often time-outs and stops are looked for.
constexpr auto kTick = std::chrono::milliseconds(20);

struct MultiDeleter {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

class CurlClient final : public HttpClient {
 public:
  explicit CurlClient(const HttpClientOptions& options)
      : options_(options), multi_(curl_multi_init()) {}

  ~CurlClient() override {
    thread_.request_stop();
    poller_.wake();
    if (thread_.joinable()) thread_.join();
  }

  Status open() {
    if (!poller_.is_open() || multi_ == nullptr) {
      return io_error("no HTTP client: ", std::strerror(errno));
    }
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &watch_socket);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &set_timer);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS,
                      static_cast<long>(options_.max_in_flight));
    thread_ = std::jthread([this](const std::stop_token& stop) { drive(stop); });
    return {};
  }

  void start(HttpRequest request, Done done, std::chrono::milliseconds delay) override {
    auto exchange =
        std::make_unique<ActiveExchange>(std::move(request), std::move(done), Clock::now() + delay);
    {
      const std::scoped_lock lock(mutex_);
      if (!is_closed_) {
        started_.push_back(std::move(exchange));
        poller_.wake();
        return;
      }
    }
    exchange->end(cancelled("the HTTP client was closed"));
    exchange->finish();
  }

  HttpCounters counters() const override {
    return {num_requests_, num_connections_, num_in_flight_, num_received_bytes_};
  }

 private:
  static int watch_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
    Poller& poller = static_cast<CurlClient*>(self)->poller_;
    if (what == CURL_POLL_REMOVE) {
      poller.forget(socket);
    } else {
      poller.watch(socket, ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) |
                               ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U));
    }
    return 0;
  }

  static int set_timer(CURLM*, long timeout_ms, void* self) {
    auto& timer = static_cast<CurlClient*>(self)->curl_timer_;
    timer.reset();
    if (timeout_ms >= 0) timer = Clock::now() + std::chrono::milliseconds(timeout_ms);
    return 0;
  }

  // The client's thread.
  void drive(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      take_started();
      begin_due();
      wait_and_act();
      take_ended();
      end_overdue();
    }
    end_all();
  }

  void take_started() {
    std::vector<ExchangePtr> started;
    {
      const std::scoped_lock lock(mutex_);
      started.swap(started_);
    }
    for (ExchangePtr& exchange : started) delayed_.push_back(std::move(exchange));
  }

  Host& host_of(const ActiveExchange& exchange) {
    return hosts_
        .try_emplace(std::string(origin_of(exchange.request().url)), options_.max_in_flight)
        .first->second;
  }

  void begin_due() {
    const auto now = Clock::now();
    std::erase_if(delayed_, [&](ExchangePtr& exchange) {
      if (exchange->due() > now) return false;
      auto& waiting = host_of(*exchange).waiting;
      if (exchange->request().is_urgent) {
        waiting.push_front(std::move(exchange));
      } else {
        waiting.push_back(std::move(exchange));
      }
      return true;
    });
    for (auto& [origin, host] : hosts_) {
      while (!host.waiting.empty() && host.num_in_flight < host.limit.value()) begin_next(host);
    }
  }

  void begin_next(Host& host) {
    in_flight_.push_back(std::move(host.waiting.front()));
    host.waiting.pop_front();
    ++host.num_in_flight;
    ++num_in_flight_;
    ++num_requests_;
    send(*in_flight_.back(), host);
  }

  void send(ActiveExchange& exchange, Host& host) {
    const bool is_plain =
        options_.may_be_plain && host.is_plain && PlainConnection::suits(exchange.request());
    while (is_plain && !host.idle.empty()) {
      PlainConnectionPtr connection = std::move(host.idle.back());
      host.idle.pop_back();
      if (connection->is_open()) return send_by(std::move(connection), exchange);
    }
    if (is_plain) {
      exchange.connect(take_easy(), options_);
    } else {
      exchange.begin(take_easy(), options_, kHttpReceiveBytes / host.limit.value());
    }
    curl_multi_add_handle(multi_.get(), exchange.easy());
  }

  Easy take_easy() {
    if (idle_.empty()) return Easy(curl_easy_init());
    Easy easy = std::move(idle_.back());
    idle_.pop_back();
    return easy;
  }

  // libcurl has no more to do with the exchange.
  void put_back(Easy easy) {
    if (easy == nullptr) return;
    curl_multi_remove_handle(multi_.get(), easy.get());
    curl_easy_reset(easy.get());
    idle_.push_back(std::move(easy));
  }

  void send_by(PlainConnectionPtr connection, ActiveExchange& exchange) {
    const int socket = connection->socket();
    plain_[socket] = &exchange;
    poller_.watch(socket, EPOLLIN);
    go_on(exchange, exchange.send_by(std::move(connection)));
  }

  // libcurl has connected. It closes its descriptor, the connection stays with ours.
  void take_connection(ActiveExchange& exchange) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(exchange.easy(), CURLINFO_ACTIVESOCKET, &socket);
    const int own_socket = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (own_socket < 0) {
      exchange.end(io_error("no connection: ", std::strerror(errno)));
      return finish(exchange);
    }
    ++num_connections_;
    put_back(exchange.take_easy());
    send_by(std::make_unique<PlainConnection>(own_socket), exchange);
  }

  PlainConnectionPtr take_back_connection(ActiveExchange& exchange) {
    PlainConnectionPtr connection = exchange.take_connection();
    if (connection == nullptr) return connection;
    plain_.erase(connection->socket());
    poller_.forget(connection->socket());
    return connection;
  }

  void go_on(ActiveExchange& exchange, PlainConnection::Progress progress) {
    using Progress = PlainConnection::Progress;
    if (progress == Progress::kUnderWay) return;
    const bool is_stale =
        progress == Progress::kBroken && exchange.connection()->was_closed_before();
    if (progress != Progress::kUnfit && !is_stale) return finish(exchange);
    take_back_connection(exchange);
    Host& host = host_of(exchange);
    host.is_plain = host.is_plain && is_stale;
    host.idle.clear();
    send(exchange, host);
  }

  int wait_ms() const {
    if (!in_flight_.empty() || !delayed_.empty()) {
      auto until = Clock::now() + kTick;
      if (curl_timer_) until = std::min(until, *curl_timer_);
      const auto wait = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
      return std::max(0, static_cast<int>(wait.count()));
    }
    if (!curl_timer_) return -1;
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*curl_timer_ - Clock::now());
    return std::max(0, static_cast<int>(wait.count()));
  }

  void wait_and_act() {
    int num_running = 0;
    for (const epoll_event& event : poller_.wait(wait_ms())) {
      if (const auto at = plain_.find(event.data.fd); at != plain_.end()) {
        go_on(*at->second, at->second->receive());
        continue;
      }
      const int what = ((event.events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                       ((event.events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                       ((event.events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
      curl_multi_socket_action(multi_.get(), event.data.fd, what, &num_running);
    }
    if (curl_timer_ && *curl_timer_ <= Clock::now()) {
      curl_timer_.reset();
      curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &num_running);
    }
  }

  void take_ended() {
    int num_left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &num_left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      char* exchange = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
      auto* ended = reinterpret_cast<ActiveExchange*>(exchange);
      if (ended->is_connecting() && code == CURLE_OK) {
        take_connection(*ended);
        continue;
      }
      ended->end(code);
      finish(*ended);
    }
  }

  void end_overdue() {
    const auto now = Clock::now();
    if (now < next_tick_) return;
    next_tick_ = now + kTick;
    receive_few();
    for (std::size_t i = 0; i < in_flight_.size();) {
      ActiveExchange& exchange = *in_flight_[i];
      Status status = is_stopped(exchange) ? stopped() : exchange.overdue(now);
      if (status.ok()) {
        exchange.watch(now);
        ++i;
        continue;
      }
      exchange.end(std::move(status));
      finish(exchange);
    }
    drop_stopped(delayed_);
    for (auto& [origin, host] : hosts_) drop_stopped(host.waiting);
  }

  // Plain connections sleep until many bytes have come; fewer are taken now.
  void receive_few() {
    for (std::size_t i = in_flight_.size(); i-- > 0;) {
      ActiveExchange& exchange = *in_flight_[i];
      if (exchange.connection() != nullptr) go_on(exchange, exchange.receive());
    }
  }

  bool is_stopped(const ActiveExchange& exchange) const {
    return options_.stop.stop_requested() || exchange.request().stop.stop_requested();
  }
  static Status stopped() { return cancelled("the request was stopped"); }

  void drop_stopped(std::deque<ExchangePtr>& exchanges) const {
    std::vector<ExchangePtr> stopped;
    std::erase_if(exchanges, [&](ExchangePtr& exchange) {
      if (!is_stopped(*exchange)) return false;
      stopped.push_back(std::move(exchange));
      return true;
    });
    for (const ExchangePtr& exchange : stopped) cancel(*exchange);
  }

  static void cancel(ActiveExchange& exchange) {
    exchange.end(stopped());
    exchange.finish();
  }

  // Takes an exchange out of flight and hands its answer over.
  void finish(const ActiveExchange& which) {
    const auto at = std::ranges::find(in_flight_, &which, &ExchangePtr::get);
    const ExchangePtr exchange = std::move(*at);
    *at = std::move(in_flight_.back());
    in_flight_.pop_back();
    --num_in_flight_;
    count(*exchange);
    PlainConnectionPtr connection = take_back_connection(*exchange);
    if (connection != nullptr && connection->can_go_on()) {
      host_of(*exchange).idle.push_back(std::move(connection));
    }
    exchange->finish();
    put_back(exchange->take_easy());
  }

  void count(const ActiveExchange& exchange) {
    const HttpResponse& response = exchange.response();
    long num_connects = 0;
    if (exchange.easy() != nullptr) {
      curl_easy_getinfo(exchange.easy(), CURLINFO_NUM_CONNECTS, &num_connects);
    }
    num_connections_ += static_cast<std::uint64_t>(num_connects);
    num_received_bytes_ += response.num_received;
    Host& host = host_of(exchange);
    --host.num_in_flight;
    const auto now = Clock::now();
    host.limit.count({.num_bytes = response.num_received,
                      .duration = now - exchange.begin_at(),
                      .is_refusal = response.code == 429 || response.code == 503,
                      .is_waited_for = !host.waiting.empty()},
                     now);
  }

  void end_all() {
    while (!in_flight_.empty()) {
      in_flight_.back()->end(cancelled("the HTTP client was closed"));
      finish(*in_flight_.back());
    }
    {
      const std::scoped_lock lock(mutex_);
      is_closed_ = true;
    }
    take_started();
    for (auto& [origin, host] : hosts_) {
      for (const ExchangePtr& exchange : host.waiting) cancel(*exchange);
    }
    for (const ExchangePtr& exchange : delayed_) cancel(*exchange);
  }

  const HttpClientOptions options_;
  Poller poller_;

  std::mutex mutex_;
  std::vector<ExchangePtr> started_;
  bool is_closed_ = false;

  // Of the thread.
  std::vector<Easy> idle_;
  std::unique_ptr<CURLM, MultiDeleter> multi_;
  std::optional<Clock::time_point> curl_timer_;
  Clock::time_point next_tick_{};
  std::deque<ExchangePtr> delayed_;
  std::map<std::string, Host> hosts_;  // by origin
  std::vector<ExchangePtr> in_flight_;
  std::map<int, ActiveExchange*> plain_;  // by socket

  std::atomic<std::uint64_t> num_requests_{0}, num_connections_{0}, num_in_flight_{0},
      num_received_bytes_{0};
  std::jthread thread_;
};

}  // namespace

Result<std::unique_ptr<HttpClient>> HttpClient::make(const HttpClientOptions& options) {
  // Thread-safe in the versions that exist since 2022.
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return io_error("no HTTP client: libcurl cannot be used");
  }
  auto client = std::make_unique<CurlClient>(options);
  PENSTOCK_TRY(client->open());
  return std::unique_ptr<HttpClient>(std::move(client));
}

HttpResponse HttpClient::run(HttpRequest request) {
  std::promise<HttpResponse> answer;
  std::future<HttpResponse> future = answer.get_future();
  start(std::move(request), [&](HttpResponse response) { answer.set_value(std::move(response)); });
  return future.get();
}

}  // namespace penstock::storage
