// A transfer is a small state machine that the client's thread moves on.
#include "penstock/storage/remote/transfer.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <optional>
#include <utility>

#include "penstock/base/hash.h"
#include "penstock/storage/http/numbers.h"
#include "penstock/storage/read_range.h"
#include "penstock/storage/remote/checksum.h"
#include "penstock/storage/remote/content_range.h"
#include "penstock/storage/remote/hedged_get.h"

namespace penstock::storage {
namespace {

using Clock = Retry::Clock;

// So often a dialect may ask for another attempt.
constexpr int kMaxLessons = 3;
// For the answer to a small question.
constexpr auto kFirstPatience = std::chrono::milliseconds(2000);

// Bytes that are not those of their checksum are fetched again for so long. If the way there does
// the damage it takes a few attempts; if the store does, none helps.
constexpr auto kHopeAfterDamage = std::chrono::seconds(5);

// nullopt if the answer does not tell.
std::optional<std::uint64_t> object_size_of(const HttpResponse& response) {
  if (response.code == 206) return content_range(response).object_size;
  return parse_number(response.header("content-length"));
}

Rng rng_for(std::string_view path, std::uint64_t offset) {
  const auto now = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
  return Rng({.seed = combine_hash(hash_text(path, now), offset)});
}

// The first line of what a server says about itself, without markup.
std::string_view words_of(const HttpResponse& response) {
  std::string_view text = response.text;
  if (const std::size_t at = text.find("<Message>"); at != std::string_view::npos) {
    text.remove_prefix(at + 9);
    return text.substr(0, text.find("</Message>"));
  }
  if (text.starts_with("<")) return {};
  constexpr std::size_t kMaxWords = 200;
  return text.substr(0, std::min(text.find('\n'), kMaxWords));
}

std::string_view request_id_of(const HttpResponse& response) {
  for (const std::string_view name : {"x-amz-request-id", "x-guploader-uploadid", "x-request-id"}) {
    if (const std::string_view id = response.header(name); !id.empty()) return id;
  }
  return {};
}

std::string_view name_of_code(int code) {
  switch (code) {
    case 400:
      return "bad request";
    case 401:
      return "not authenticated";
    case 403:
      return "access denied";
    case 404:
      return "not found";
    case 405:
      return "method not allowed";
    case 409:
      return "conflict";
    case 411:
      return "length required";
    case 412:
      return "changed";
    case 413:
      return "too large";
    case 416:
      return "no such range";
    case 429:
      return "too many requests";
    case 500:
      return "internal error of the server";
    case 502:
      return "bad gateway";
    case 503:
      return "service unavailable";
    case 504:
      return "gateway timeout";
    default:
      return "refused";
  }
}

// What went wrong with the last attempt, and how often it was tried.
Status given_up(std::string_view method, const HttpResponse& response, int num_attempts,
                Clock::duration elapsed) {
  Status last = response.status.ok() ? refusal_of(method, response) : response.status.at(method);
  if (num_attempts <= 1) return last;
  const double seconds = std::chrono::duration<double>(elapsed).count();
  return {last.code(), concat(last.message(), ", tried ", num_attempts, " times in ",
                              std::lround(seconds), " s")};
}

class Transfer : public std::enable_shared_from_this<Transfer> {
 public:
  Transfer(const RemoteParts& parts, RangeRequest request, std::function<void(Status)> done)
      : parts_(parts),
        request_(std::move(request)),
        done_(std::move(done)),
        retry_(parts.options.retry, rng_for(request_.path, request_.offset)),
        begin_(Clock::now()) {}

  void begin() {
    if (is_file_range(request_.offset, request_.out.size())) return attempt();
    end_outside({});
  }

 private:
  void attempt(std::chrono::milliseconds delay = {}) {
    ObjectCall call{.method = "GET", .path = request_.path};
    // Weak ETags match nothing here; that of the answer is looked at in any case.
    const bool is_strong = !etag_.empty() && !etag_.starts_with("W/");
    if (num_done_ > 0 && is_strong) call.headers.push_back(concat("If-Match: ", etag_));
    auto http = parts_.dialect.request(call);
    if (!http.ok()) return done_(http.status());
    http->out = request_.out.subspan(num_done_);
    http->range_begin = position();
    http->is_urgent = retry_.num_attempts() > 0;
    http->timeouts = parts_.options.timeouts;
    http->stop = request_.stop;
    auto done = [self = shared_from_this()](HttpResponse response) {
      self->take(std::move(response));
    };
    if (parts_.hedging == nullptr) {
      parts_.client.start(*std::move(http), std::move(done), delay);
    } else {
      start_hedged(parts_.client, *parts_.hedging, *std::move(http), std::move(done), delay);
    }
  }

  std::uint64_t position() const { return request_.offset + num_done_; }
  std::uint64_t end() const { return request_.offset + request_.out.size(); }

  void take(HttpResponse response) {
    if (response.is_content()) {
      if (Status status = take_content(response); !status.ok()) return done_(std::move(status));
      if (num_done_ == request_.out.size() && is_undamaged(response)) return done_({});
    } else if (response.status.ok()) {
      if (learns_from(response)) return attempt();
      if (response.code == 416) return end_outside(response);
      if (Status status = refusal(response); !status.ok()) return done_(std::move(status));
    }
    const auto delay = retry_.next_delay(response, Clock::now());
    if (delay) return attempt(*delay);
    done_(given_up("GET", response, retry_.num_attempts(), Clock::now() - begin_));
  }

  bool learns_from(const HttpResponse& response) {
    return ++num_lessons_ <= kMaxLessons &&
           parts_.dialect.learns_from({.method = "GET", .path = request_.path}, response);
  }

  // Not ok if no other attempt can help. Says in `response` if it brought less than it promised.
  Status take_content(HttpResponse& response) {
    PENSTOCK_TRY(parts_.dialect.check({.method = "GET", .path = request_.path}, response));
    PENSTOCK_TRY(parts_.versions.check(request_.path, version_text(response)));
    const ContentRange range = content_range(response);
    if (response.code == 206 && range.begin.value_or(position()) != position()) {
      return io_error("the server sent bytes from ", *range.begin, " on, expected ", position());
    }
    etag_ = response.header("etag");
    num_done_ += response.num_received;
    // Bytes that may be damaged again are no progress.
    if (response.num_received > 0 && !was_damaged_) retry_.note_progress();
    if (num_done_ == request_.out.size() || !response.status.ok()) return {};
    auto object_size = object_size_of(response);
    if (response.code == 200 && !object_size) object_size = position();
    if (object_size && *object_size < end()) {
      return ends_early(*object_size, request_.offset, request_.out.size());
    }
    response.status =
        io_error("the answer ended after ", num_done_, " of ", request_.out.size(), " bytes");
    return {};
  }

  // Checks a whole object. If it is damaged, everything begins again, and `response` says why.
  bool is_undamaged(HttpResponse& response) {
    if (request_.offset != 0 || object_size_of(response) != request_.out.size()) return true;
    Status status = check_object(request_.out, response);
    if (status.ok()) return true;
    was_damaged_ = true;
    num_done_ = 0;
    response.status = std::move(status);
    response.hope = kHopeAfterDamage;
    return false;
  }

  // The range is not there, or not all of it.
  void end_outside(const HttpResponse& response) {
    if (const auto object_size = content_range(response).object_size) {
      return done_(ends_early(*object_size, request_.offset, request_.out.size()));
    }
    start_call(
        parts_, {.method = "HEAD", .path = request_.path}, request_.stop,
        [self = shared_from_this()](const Result<HttpResponse>& head) {
          if (!head.ok()) return self->done_(head.status());
          const auto object_size = parse_number(head->header("content-length")).value_or(0);
          self->done_(ends_early(object_size, self->request_.offset, self->request_.out.size()));
        });
  }

  // Not ok if the answer is final.
  Status refusal(const HttpResponse& response) const {
    return is_transient(response) ? Status() : refusal_of("GET", response);
  }

  const RemoteParts parts_;
  const RangeRequest request_;
  const std::function<void(Status)> done_;
  Retry retry_;
  const Clock::time_point begin_;
  std::string etag_;
  std::size_t num_done_ = 0;
  int num_lessons_ = 0;
  bool was_damaged_ = false;
};

class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(const RemoteParts& parts, ObjectCall call, const std::stop_token& stop,
       std::function<void(Result<HttpResponse>)> done)
      : parts_(parts),
        call_(std::move(call)),
        stop_(stop),
        done_(std::move(done)),
        retry_(parts.options.retry, rng_for(call_.path, 0)),
        begin_(Clock::now()) {}

  void attempt(std::chrono::milliseconds delay = {}) {
    auto http = parts_.dialect.request(call_);
    if (!http.ok()) return done_(http.status());
    http->timeouts = parts_.options.timeouts;
    if (call_.method == "GET" || call_.method == "HEAD") {
      // Asking again costs little; a server that is slow gets twice the time each time.
      const int doublings = std::min(retry_.num_attempts(), 10);
      http->timeouts.first_byte =
          std::min(http->timeouts.first_byte, kFirstPatience * (1 << doublings));
    }
    http->is_urgent = true;
    http->stop = stop_;
    parts_.client.start(
        *std::move(http),
        [self = shared_from_this()](HttpResponse response) { self->take(std::move(response)); },
        delay);
  }

 private:
  void take(HttpResponse response) {
    if (response.status.ok() && response.code < 300) {
      if (Status status = parts_.dialect.check(call_, response); !status.ok()) return done_(status);
      return done_(std::move(response));
    }
    if (response.status.ok() && ++num_lessons_ <= kMaxLessons &&
        parts_.dialect.learns_from(call_, response)) {
      return attempt();
    }
    const auto delay = retry_.next_delay(response, Clock::now());
    if (delay) return attempt(*delay);
    done_(given_up(call_.method, response, retry_.num_attempts(), Clock::now() - begin_));
  }

  const RemoteParts parts_;
  const ObjectCall call_;
  const std::stop_token stop_;
  const std::function<void(Result<HttpResponse>)> done_;
  Retry retry_;
  const Clock::time_point begin_;
  int num_lessons_ = 0;
};

}  // namespace

Status refusal_of(std::string_view method, const HttpResponse& response) {
  std::string message = concat(method, ": ", response.code, ' ', name_of_code(response.code));
  if (const auto words = words_of(response); !words.empty()) message += concat(" (", words, ")");
  if (const auto id = request_id_of(response); !id.empty()) message += concat(", request ", id);
  if (response.code == 404) return not_found(message);
  if (response.code == 412) return corrupt(message);
  return io_error(message);
}

void start_transfer(const RemoteParts& parts, RangeRequest request,
                    std::function<void(Status)> done) {
  std::make_shared<Transfer>(parts, std::move(request), std::move(done))->begin();
}

void start_call(const RemoteParts& parts, ObjectCall call, const std::stop_token& stop,
                std::function<void(Result<HttpResponse>)> done) {
  std::make_shared<Call>(parts, std::move(call), stop, std::move(done))->attempt();
}

Result<HttpResponse> run_call(const RemoteParts& parts, ObjectCall call,
                              const std::stop_token& stop) {
  std::promise<Result<HttpResponse>> answer;
  auto future = answer.get_future();
  start_call(parts, std::move(call), stop,
             [&](Result<HttpResponse> result) { answer.set_value(std::move(result)); });
  return future.get();
}

}  // namespace penstock::storage
