#include "penstock/base/channel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace penstock {
namespace {

TEST(ChannelTest, KeepsOrder) {
  Channel<int> channel(3);
  ASSERT_TRUE(channel.send(1));
  ASSERT_TRUE(channel.send(2));
  EXPECT_EQ(channel.receive(), 1);
  EXPECT_EQ(channel.receive(), 2);
}

TEST(ChannelTest, CloseRefusesSendersAndDrainsReceivers) {
  Channel<int> channel(3);
  ASSERT_TRUE(channel.send(1));
  channel.close();
  EXPECT_FALSE(channel.send(2));
  EXPECT_EQ(channel.receive(), 1);
  EXPECT_EQ(channel.receive(), std::nullopt);
}

TEST(ChannelTest, CloseWakesAWaitingReceiver) {
  Channel<int> channel(1);
  std::jthread receiver([&] { EXPECT_EQ(channel.receive(), std::nullopt); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  channel.close();
}

TEST(ChannelTest, CountsTheTimeASenderWaits) {
  Channel<int> channel(1);
  ASSERT_TRUE(channel.send(1));
  std::jthread sender([&] { EXPECT_TRUE(channel.send(2)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(channel.receive(), 1);
  sender.join();
  EXPECT_GT(channel.counters().wait_full_ns, 5'000'000u);
  EXPECT_EQ(channel.counters().passed, 2u);
}

TEST(ChannelTest, PassesEverythingBetweenManyThreads) {
  Channel<int> channel(4);
  std::atomic<int> sum = 0;
  {
    std::vector<std::jthread> receivers;
    for (int i = 0; i < 3; ++i) {
      receivers.emplace_back([&] {
        while (const auto value = channel.receive()) sum += *value;
      });
    }
    {
      std::vector<std::jthread> senders;
      for (int i = 0; i < 3; ++i) {
        senders.emplace_back([&] {
          for (int value = 1; value <= 1000; ++value) EXPECT_TRUE(channel.send(value));
        });
      }
    }
    channel.close();
  }
  EXPECT_EQ(sum, 3 * 500'500);
}

}  // namespace
}  // namespace penstock
