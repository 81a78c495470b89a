// Two exchanges that race. Everything but the start happens in the client's thread.
#include "penstock/storage/remote/hedged_get.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "penstock/storage/remote/content_range.h"
#include "penstock/storage/remote/object_versions.h"
#include "penstock/storage/remote/retry.h"

namespace penstock::storage {
namespace {

// Stops when it is told to, or when `outer` is.
class LinkedStop {
 public:
  explicit LinkedStop(const std::stop_token& outer) : link_(outer, Stop{source_}) {}

  std::stop_token token() const { return source_.get_token(); }
  void stop() { source_.request_stop(); }

 private:
  struct Stop {
    std::stop_source source;
    void operator()() { source.request_stop(); }
  };

  std::stop_source source_;
  std::stop_callback<Stop> link_;
};

// What is so many times later than it should be is made twice whatever the share: it hangs.
constexpr int kHopelesslyLate = 4;
// A second request that fails is made again so often while the first is under way.
constexpr int kMaxSeconds = 4;
constexpr auto kPause = std::chrono::milliseconds(50);

class Race : public std::enable_shared_from_this<Race> {
 public:
  Race(HttpClient& client, Hedging& hedging, HttpRequest request, HttpClient::Done done)
      : client_(client),
        hedging_(hedging),
        request_(std::move(request)),
        done_(std::move(done)),
        first_stop_(request_.stop),
        second_stop_(request_.stop) {}

  void start(std::chrono::milliseconds delay) {
    HttpRequest first = request_;
    first.stop = first_stop_.token();
    hedging_.count_begun();
    // The request may wait its turn for long, so that what is late is asked while it is under way.
    first.watch = [self = shared_from_this()](std::chrono::nanoseconds elapsed,
                                              std::size_t num_received) {
      return self->watch(elapsed, num_received);
    };
    client_.start(
        std::move(first),
        [self = shared_from_this()](HttpResponse response) {
          self->end_first(std::move(response));
        },
        delay);
  }

 private:
  // True once there is nothing more to look for.
  bool watch(std::chrono::nanoseconds elapsed, std::size_t num_received) {
    const std::chrono::milliseconds patience = hedging_.patience(request_.out.size());
    if (num_received == request_.out.size()) return true;
    if (elapsed <= patience) return false;
    second_patience_ = kHopelesslyLate * patience;
    if (elapsed <= second_patience_ && !hedging_.may_hedge()) return false;
    start_second(num_received);
    return true;
  }

  void start_second(std::size_t num_received) {
    const std::size_t room = request_.out.size() - num_received;
    second_begin_ = num_received;
    second_bytes_ = std::make_unique_for_overwrite<std::byte[]>(room);
    send_second({});
  }

  void send_second(std::chrono::milliseconds delay) {
    const std::size_t room = request_.out.size() - second_begin_;
    ++num_seconds_;
    HttpRequest second = request_;
    second.stop = second_stop_.token();
    second.is_urgent = true;
    // It may hang as the first does.
    second.timeouts.first_byte = std::min(second.timeouts.first_byte, second_patience_);
    second.timeouts.stall = std::min(second.timeouts.stall, second_patience_);
    second.out = {second_bytes_.get(), room};
    second.range_begin = second_range_begin();
    is_second_running_ = true;
    client_.start(
        std::move(second),
        [self = shared_from_this()](const HttpResponse& response) { self->end_second(response); },
        delay);
  }

  std::uint64_t second_range_begin() const {
    return request_.range_begin.value_or(0) + second_begin_;
  }

  void end_first(HttpResponse response) {
    count(response, request_.out.size());
    first_ = std::move(response);
    // The second may do better.
    if (is_second_running_ && is_transient(*first_)) return;
    end();
  }

  void end_second(const HttpResponse& response) {
    if (is_over_) return;
    is_second_running_ = false;
    const std::size_t room = request_.out.size() - second_begin_;
    count(response, room);
    const bool is_range = response.code == 200 || content_range(response).begin.value_or(
                                                      second_range_begin()) == second_range_begin();
    if (response.is_content() && is_range && response.num_received == room) {
      second_ = response;
    }
    if (first_) return end();
    if (is_transient(response) && !second_ && num_seconds_ < kMaxSeconds) {
      // A server that is at its limit gets a little time.
      return send_second(response.status.ok() ? num_seconds_ * kPause
                                              : std::chrono::milliseconds(0));
    }
    // It may be writing to the caller's memory: what happens next happens when it has ended.
    if (second_) first_stop_.stop();
  }

  void count(const HttpResponse& response, std::size_t num_bytes) {
    if (!response.is_content() || response.num_received != num_bytes) return;
    hedging_.count({num_bytes, response.first_byte, response.total});
  }

  void end() {
    is_over_ = true;
    second_stop_.stop();
    if (second_ && first_->num_received < request_.out.size() && !join()) {
      first_->status = io_error("two answers at once did not fit together");
    }
    const HttpClient::Done done = std::move(done_);
    done(*std::move(first_));
  }

  // Makes one answer of both, in first_. Not if they are of different versions: the next attempt
  // will find out.
  bool join() {
    const std::size_t num_received = first_->num_received;
    if (num_received < second_begin_) return false;
    if (num_received > 0 && version_text(*first_) != version_text(*second_)) return false;
    const std::size_t num_known = num_received - second_begin_;
    std::memcpy(request_.out.subspan(num_received).data(), second_bytes_.get() + num_known,
                request_.out.size() - num_received);
    // The headers of the first say where the bytes begin.
    if (num_received == 0) first_ = std::move(second_);
    first_->status = {};
    first_->num_received = request_.out.size();
    return true;
  }

  HttpClient& client_;
  Hedging& hedging_;
  const HttpRequest request_;
  HttpClient::Done done_;
  LinkedStop first_stop_, second_stop_;
  std::optional<HttpResponse> first_;   // once it has ended
  std::optional<HttpResponse> second_;  // if it brought everything
  std::unique_ptr<std::byte[]> second_bytes_;
  std::size_t second_begin_ = 0;  // in request_.out
  std::chrono::milliseconds second_patience_{0};
  int num_seconds_ = 0;
  bool is_second_running_ = false;
  bool is_over_ = false;
};

}  // namespace

void start_hedged(HttpClient& client, Hedging& hedging, HttpRequest request, HttpClient::Done done,
                  std::chrono::milliseconds delay) {
  std::make_shared<Race>(client, hedging, std::move(request), std::move(done))->start(delay);
}

}  // namespace penstock::storage
