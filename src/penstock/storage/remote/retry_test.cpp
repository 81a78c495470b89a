#include "penstock/storage/remote/retry.h"

#include <gtest/gtest.h>

namespace penstock::storage {
namespace {

using namespace std::chrono_literals;

const Retry::Clock::time_point kStart{1000s};

HttpResponse answer(int code, HttpHeaders headers = {}) {
  HttpResponse response;
  response.code = code;
  response.headers = std::move(headers);
  return response;
}

HttpResponse broken(Status status) {
  HttpResponse response;
  response.status = std::move(status);
  return response;
}

Retry make_retry(RetryOptions options = {}) { return {options, Rng({.seed = 1})}; }

TEST(RetryTest, TellsWhatMayGoAway) {
  for (const int code : {408, 425, 429, 500, 502, 503, 504}) {
    EXPECT_TRUE(is_transient(answer(code))) << code;
  }
  for (const int code : {400, 401, 403, 404, 405, 412, 416, 501}) {
    EXPECT_FALSE(is_transient(answer(code))) << code;
  }
  EXPECT_TRUE(is_transient(broken(io_error("reset"))));
  EXPECT_TRUE(is_transient(broken(corrupt("other checksum"))));
  EXPECT_FALSE(is_transient(broken(cancelled("stopped"))));
  EXPECT_FALSE(is_transient(broken(unsupported("certificate"))));
}

TEST(RetryTest, WaitsLongerEachTimeUpToALimit) {
  Retry retry = make_retry();
  auto most = 100ms;
  for (int i = 0; i < 8; ++i) {
    const auto delay = retry.next_delay(answer(503), kStart);
    ASSERT_TRUE(delay);
    EXPECT_GE(*delay, most / 2);
    EXPECT_LE(*delay, most);
    most = std::min(2 * most, 5000ms);
  }
}

TEST(RetryTest, WaitsAsLongAsTheServerSays) {
  EXPECT_EQ(make_retry().next_delay(answer(503, {{"retry-after", "7"}}), kStart), 7000ms);
}

TEST(RetryTest, WaitsUntilTheServerSays) {
  const HttpResponse response = answer(503, {{"date", "Sun, 06 Nov 1994 08:49:37 GMT"},
                                             {"retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"}});
  EXPECT_EQ(make_retry().next_delay(response, kStart), 30'000ms);
}

TEST(RetryTest, DoesNotWaitForADateThatIsPastOrCannotBeCompared) {
  const std::string date = "Sun, 06 Nov 1994 08:50:07 GMT";
  for (const HttpHeaders& headers :
       {HttpHeaders{{"retry-after", date}},
        HttpHeaders{{"retry-after", date}, {"date", "Sun, 06 Nov 1994 08:51:00 GMT"}},
        HttpHeaders{{"retry-after", "soon"}, {"date", date}}}) {
    EXPECT_LE(make_retry().next_delay(answer(503, headers), kStart), 100ms);
  }
}

TEST(RetryTest, GivesUpInTime) {
  Retry retry = make_retry({.give_up_after = 1000ms});
  EXPECT_TRUE(retry.next_delay(answer(503), kStart));
  EXPECT_EQ(retry.next_delay(answer(503), kStart + 990ms), 10ms);
  EXPECT_FALSE(retry.next_delay(answer(503), kStart + 1000ms));
}

TEST(RetryTest, CountsFromTheLastProgress) {
  Retry retry = make_retry({.give_up_after = 1000ms});
  EXPECT_TRUE(retry.next_delay(answer(503), kStart));
  retry.note_progress();
  EXPECT_TRUE(retry.next_delay(answer(503), kStart + 5s));
}

TEST(RetryTest, GivesUpAtOnceWhatCannotSucceed) {
  EXPECT_FALSE(make_retry().next_delay(answer(403), kStart));
  HttpResponse refused = broken(io_error("certificate"));
  refused.hope = 0ms;
  EXPECT_FALSE(make_retry().next_delay(refused, kStart));
}

}  // namespace
}  // namespace penstock::storage
