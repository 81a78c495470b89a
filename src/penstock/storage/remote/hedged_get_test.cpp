#include "penstock/storage/remote/hedged_get.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace penstock::storage {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kObject = "0123456789";

// Requests wait until the test lets something happen to them.
class HeldClient final : public HttpClient {
 public:
  void start(HttpRequest request, Done done, std::chrono::milliseconds) override {
    held.push_back({std::move(request), std::move(done), {}});
  }
  HttpCounters counters() const override { return {}; }

  // Some more bytes come.
  void bring(std::size_t which, std::size_t num_bytes) {
    Held& it = held[which];
    const std::uint64_t begin = *it.request.range_begin;
    it.response.code = 206;
    it.response.headers = {{"content-range", concat("bytes ", begin, "-9/10")}, {"etag", etag}};
    const std::size_t num_received = it.response.num_received;
    std::memcpy(it.request.out.subspan(num_received).data(),
                kObject.substr(begin + num_received, num_bytes).data(), num_bytes);
    it.response.num_received += num_bytes;
  }
  // Time goes by; true if it is not watched any longer.
  bool wait(std::size_t which, std::chrono::milliseconds elapsed) {
    return held[which].request.watch(elapsed, held[which].response.num_received);
  }
  void be_late(std::size_t which) { EXPECT_TRUE(wait(which, 51ms)); }
  void end(std::size_t which, Status status = {}) {
    held[which].response.status = std::move(status);
    const Done done = std::exchange(held[which].done, nullptr);
    done(held[which].response);
  }
  void refuse(std::size_t which, int code) {
    held[which].response.code = code;
    end(which);
  }
  bool is_stopped(std::size_t which) const { return held[which].request.stop.stop_requested(); }

  struct Held {
    HttpRequest request;
    Done done;
    HttpResponse response;
  };
  std::vector<Held> held;
  std::string etag = "\"a\"";
};

// A read of the whole object, by a client that has seen enough fast ones.
class HedgedGetTest : public testing::Test {
 protected:
  HedgedGetTest() {
    for (int i = 0; i < 100; ++i) {
      hedging.count_begun();
      hedging.count({.num_bytes = 10, .first_byte = 1ms, .total = 1ms});
    }
  }

  void read() {
    start_hedged(client, hedging,
                 {.out = std::as_writable_bytes(std::span(bytes)),
                  .range_begin = 0,
                  .stop = stop.get_token()},
                 [this](HttpResponse answer) {
                   response = std::move(answer);
                   ++num_done;
                 },
                 {});
  }

  HeldClient client;
  Hedging hedging{95};
  std::stop_source stop;
  std::string bytes = "..........";
  HttpResponse response;
  int num_done = 0;
};

TEST_F(HedgedGetTest, IsOneRequestIfItIsInTime) {
  read();
  EXPECT_FALSE(client.wait(0, 50ms));
  client.bring(0, 10);
  client.end(0);
  EXPECT_EQ(client.held.size(), 1u);
  EXPECT_EQ(num_done, 1);
  EXPECT_EQ(bytes, kObject);
}

TEST_F(HedgedGetTest, AsksForTheRestInMemoryOfItsOwn) {
  read();
  client.bring(0, 3);
  client.be_late(0);
  ASSERT_EQ(client.held.size(), 2u);
  EXPECT_EQ(client.held[1].request.range_begin, 3u);
  EXPECT_EQ(client.held[1].request.out.size(), 7u);
  client.bring(1, 7);
  EXPECT_EQ(bytes, "012.......");
}

TEST_F(HedgedGetTest, TakesTheSecondOnceTheFirstHasEnded) {
  read();
  client.bring(0, 3);
  client.be_late(0);
  client.bring(1, 7);
  client.end(1);
  EXPECT_TRUE(client.is_stopped(0));
  EXPECT_EQ(num_done, 0);
  client.bring(0, 2);
  client.end(0, cancelled("stopped"));
  EXPECT_EQ(num_done, 1);
  EXPECT_TRUE(response.status.ok());
  EXPECT_EQ(response.num_received, 10u);
  EXPECT_EQ(response.header("content-range"), "bytes 0-9/10");
  EXPECT_EQ(bytes, kObject);
}

TEST_F(HedgedGetTest, TakesTheSecondIfTheFirstBroughtNothing) {
  read();
  client.be_late(0);
  client.bring(1, 10);
  client.end(1);
  client.end(0, cancelled("stopped"));
  EXPECT_EQ(response.code, 206);
  EXPECT_TRUE(response.status.ok());
  EXPECT_EQ(bytes, kObject);
}

TEST_F(HedgedGetTest, TakesTheFirstIfItIsFaster) {
  read();
  client.bring(0, 3);
  client.be_late(0);
  client.bring(0, 7);
  client.end(0);
  EXPECT_EQ(num_done, 1);
  EXPECT_TRUE(client.is_stopped(1));
  EXPECT_EQ(bytes, kObject);
  // What the loser still brings goes nowhere.
  bytes.assign(10, '.');
  client.bring(1, 7);
  client.end(1, cancelled("stopped"));
  EXPECT_EQ(num_done, 1);
  EXPECT_EQ(bytes, "..........");
}

TEST_F(HedgedGetTest, WaitsForTheSecondIfTheFirstFails) {
  read();
  client.bring(0, 3);
  client.be_late(0);
  client.end(0, io_error("reset"));
  EXPECT_EQ(num_done, 0);
  client.bring(1, 7);
  client.end(1);
  EXPECT_EQ(num_done, 1);
  EXPECT_TRUE(response.status.ok());
  EXPECT_EQ(bytes, kObject);
}

TEST_F(HedgedGetTest, WaitsForTheFirstIfTheSecondFails) {
  read();
  client.be_late(0);
  client.refuse(1, 503);
  EXPECT_EQ(num_done, 0);
  EXPECT_FALSE(client.is_stopped(0));
  client.bring(0, 10);
  client.end(0);
  EXPECT_EQ(num_done, 1);
  EXPECT_EQ(bytes, kObject);
}

TEST_F(HedgedGetTest, FailsOnceIfBothFail) {
  read();
  client.bring(0, 3);
  client.be_late(0);
  client.end(0, io_error("reset"));
  client.refuse(1, 503);
  EXPECT_EQ(num_done, 1);
  EXPECT_EQ(response.status, io_error("reset"));
  EXPECT_EQ(response.num_received, 3u);
}

TEST_F(HedgedGetTest, DoesNotWaitIfTheFirstIsRefusedForGood) {
  read();
  client.be_late(0);
  client.refuse(0, 404);
  EXPECT_EQ(num_done, 1);
  EXPECT_EQ(response.code, 404);
  EXPECT_TRUE(client.is_stopped(1));
}

TEST_F(HedgedGetTest, DoesNotPutTwoVersionsTogether) {
  read();
  client.bring(0, 3);
  client.be_late(0);
  client.etag = "\"b\"";
  client.bring(1, 7);
  client.end(1);
  client.end(0, cancelled("stopped"));
  EXPECT_EQ(response.status.code(), Code::kIo);
  EXPECT_EQ(response.num_received, 3u);
  EXPECT_EQ(bytes, "012.......");
}

TEST_F(HedgedGetTest, StopsBoth) {
  read();
  client.be_late(0);
  stop.request_stop();
  EXPECT_TRUE(client.is_stopped(0));
  EXPECT_TRUE(client.is_stopped(1));
  client.end(0, cancelled("stopped"));
  client.end(1, cancelled("stopped"));
  EXPECT_EQ(num_done, 1);
  EXPECT_EQ(response.status, cancelled("stopped"));
}

TEST_F(HedgedGetTest, KeepsToItsShare) {
  while (hedging.may_hedge()) {
  }
  read();
  EXPECT_FALSE(client.wait(0, 51ms));
  EXPECT_EQ(client.held.size(), 1u);
  for (int i = 0; i < 20; ++i) hedging.count_begun();
  EXPECT_TRUE(client.wait(0, 71ms));
  EXPECT_EQ(client.held.size(), 2u);
}

TEST_F(HedgedGetTest, LearnsWhatIsLateWhileItWaits) {
  Hedging fresh(95);
  for (int i = 0; i < 20; ++i) fresh.count_begun();
  start_hedged(client, fresh, {.out = std::as_writable_bytes(std::span(bytes)), .range_begin = 0},
               [](const HttpResponse&) {}, {});
  EXPECT_FALSE(client.wait(0, 1000ms));
  for (int i = 0; i < 20; ++i) fresh.count({.num_bytes = 10, .first_byte = 1ms, .total = 1ms});
  EXPECT_TRUE(client.wait(0, 51ms));
  EXPECT_EQ(client.held.size(), 2u);
}

}  // namespace
}  // namespace penstock::storage
