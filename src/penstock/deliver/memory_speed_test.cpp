#include "penstock/deliver/memory_speed.h"

#include <gtest/gtest.h>

namespace penstock::deliver {
namespace {

TEST(MemorySpeedTest, IsOneThatMemoryCanHave) {
  const double rate = memory_bytes_per_s();
  EXPECT_GT(rate, 1e8);
  EXPECT_LT(rate, 1e13);
  EXPECT_EQ(memory_bytes_per_s(), rate);
}

}  // namespace
}  // namespace penstock::deliver
