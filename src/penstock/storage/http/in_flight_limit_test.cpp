#include "penstock/storage/http/in_flight_limit.h"

#include <gtest/gtest.h>

namespace penstock::storage {
namespace {

using namespace std::chrono_literals;

std::chrono::nanoseconds nanoseconds(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

// A host that answers each request after `latency`, and all together not faster than `rate`.
struct Host {
  std::chrono::duration<double> latency;
  double rate = 1e12;       // requests a second
  double refused_at = 1e9;  // in flight

  // Counts what happens in `seconds`.
  void serve(InFlightLimit& limit, double seconds) {
    for (const double end = now + seconds; now < end;) {
      const int num = limit.value();
      const double duration = std::max(latency.count(), num / rate);
      for (int i = 0; i < num; ++i) {
        now += duration / num;
        limit.count({.num_bytes = 100'000,
                     .duration = nanoseconds(duration),
                     .is_refusal = num > refused_at,
                     .is_waited_for = true},
                    InFlightLimit::Clock::time_point(nanoseconds(now)));
      }
    }
  }

  double now = 1000;
};

TEST(InFlightLimitTest, GrowsWhileItHelps) {
  InFlightLimit limit(256);
  Host host{.latency = 20ms, .rate = 3000};
  host.serve(limit, 5);
  // 60 would do: 64 reach the rate.
  EXPECT_EQ(limit.value(), 64);
}

TEST(InFlightLimitTest, StaysWhereMoreDoNotHelp) {
  InFlightLimit limit(256);
  Host host{.latency = 1ms, .rate = 5000};
  host.serve(limit, 5);
  EXPECT_EQ(limit.value(), 16);
}

TEST(InFlightLimitTest, GrowsAlsoIfAllAnswersComeAtOnce) {
  InFlightLimit limit(128);
  auto now = InFlightLimit::Clock::time_point(1000s);
  for (int round = 0; round < 20; ++round) {
    now += 1s;
    const int num_requests = limit.value();
    for (int i = 0; i < num_requests; ++i) {
      limit.count({.num_bytes = 1'000'000, .duration = 1s, .is_waited_for = true}, now += 1us);
    }
  }
  EXPECT_EQ(limit.value(), 128);
}

TEST(InFlightLimitTest, StaysWhileNoneWaitTheirTurn) {
  InFlightLimit limit(256);
  auto now = InFlightLimit::Clock::time_point(1000s);
  for (int i = 0; i < 1000; ++i) {
    limit.count({.num_bytes = 1'000'000, .duration = 10ms, .is_waited_for = i % 8 == 0},
                now += 5ms);
  }
  EXPECT_EQ(limit.value(), 16);
}

TEST(InFlightLimitTest, KeepsToTheMost) {
  InFlightLimit limit(40);
  Host host{.latency = 100ms};
  host.serve(limit, 10);
  EXPECT_EQ(limit.value(), 40);
}

TEST(InFlightLimitTest, ShrinksWhenRefused) {
  InFlightLimit limit(256);
  Host host{.latency = 10ms, .refused_at = 8};
  host.serve(limit, 3);
  EXPECT_LE(limit.value(), 8);
}

TEST(InFlightLimitTest, BearsAFewRefusals) {
  InFlightLimit limit(16);
  auto now = InFlightLimit::Clock::time_point(1000s);
  for (int i = 0; i < 1000; ++i) {
    limit.count({.num_bytes = 1, .is_refusal = i % 50 == 0, .is_waited_for = true}, now += 5ms);
  }
  EXPECT_EQ(limit.value(), 16);
}

}  // namespace
}  // namespace penstock::storage
