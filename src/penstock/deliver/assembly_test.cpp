#include "penstock/deliver/assembly.h"

#include <gtest/gtest.h>

#include <thread>

namespace penstock::deliver {
namespace {

using std::chrono::milliseconds;

batch::BatchLayout two_numbers() {
  batch::BatchLayout layout(2);
  layout.add_field("label", DType::kI64, {});
  return layout;
}

std::shared_ptr<Assembly> make_assembly(const AssemblyLimits& limits, std::uint64_t num_batches) {
  return std::make_shared<Assembly>(two_numbers(), limits, num_batches);
}

void fill(Assembly& assembly, std::uint64_t sequence) {
  ASSERT_NE(assembly.open(sequence, {.count = 2, .number = sequence}), nullptr);
  assembly.finish(sequence, 1);
  assembly.finish(sequence, 1);
}

TEST(AssemblyTest, HandsBatchesOverInOrder) {
  const auto assembly = make_assembly({.depth = 2, .max_depth = 2, .max_slots = 4}, 2);
  fill(*assembly, 1);
  EXPECT_FALSE(assembly->next(milliseconds(1)).has_value());
  fill(*assembly, 0);
  EXPECT_EQ((**assembly->next(milliseconds(0)))->number, 0u);
  EXPECT_EQ((**assembly->next(milliseconds(0)))->number, 1u);
  EXPECT_EQ(**assembly->next(milliseconds(0)), nullptr);
}

TEST(AssemblyTest, ABatchIsReadyOnlyWhenWhole) {
  const auto assembly = make_assembly({.depth = 2, .max_depth = 2, .max_slots = 4}, 2);
  assembly->open(0, {.count = 2});
  assembly->finish(0, 1);
  EXPECT_FALSE(assembly->next(milliseconds(1)).has_value());
}

TEST(AssemblyTest, UsesSlotsAgain) {
  const auto assembly = make_assembly({.depth = 1, .max_depth = 1, .max_slots = 2}, 100);
  for (std::uint64_t i = 0; i < 100; ++i) {
    fill(*assembly, i);
    EXPECT_EQ((**assembly->next(milliseconds(0)))->number, i);
  }
  EXPECT_EQ(assembly->num_slots(), 1u);
}

TEST(AssemblyTest, WorkersWaitUntilTheConsumerCatchesUp) {
  const auto assembly = make_assembly({.depth = 1, .max_depth = 1, .max_slots = 4}, 2);
  fill(*assembly, 0);
  std::jthread worker([&] { fill(*assembly, 1); });
  EXPECT_EQ((**assembly->next(milliseconds(1000)))->number, 0u);
  EXPECT_EQ((**assembly->next(milliseconds(1000)))->number, 1u);
}

TEST(AssemblyTest, SaysHowManyBatchesTheConsumerHolds) {
  const auto assembly = make_assembly({.depth = 1, .max_depth = 1, .max_slots = 2}, 3);
  fill(*assembly, 0);
  const auto first = assembly->next(milliseconds(0));
  fill(*assembly, 1);
  const auto second = assembly->next(milliseconds(0));
  const auto third = assembly->next(milliseconds(0));
  ASSERT_TRUE(third.has_value());
  EXPECT_EQ(third->status().code(), Code::kResourceExhausted);
  EXPECT_TRUE(third->status().message().starts_with("2 batches of 64 bytes are still held"));
}

TEST(AssemblyTest, TheFailureWithTheLowestIndexWins) {
  const auto assembly = make_assembly({.depth = 1, .max_depth = 1, .max_slots = 2}, 1);
  assembly->open(0, {.count = 2});
  assembly->fail(0, 1, corrupt("second"));
  assembly->fail(0, 0, corrupt("first"));
  assembly->finish(0, 2);
  EXPECT_EQ(assembly->next(milliseconds(0))->status().message(), "first");
  EXPECT_EQ(assembly->next(milliseconds(0))->status().message(), "first");
}

TEST(AssemblyTest, StopWakesEverybody) {
  const auto assembly = make_assembly({.depth = 1, .max_depth = 1, .max_slots = 2}, 9);
  fill(*assembly, 0);
  std::jthread worker([&] { EXPECT_EQ(assembly->open(1, {.count = 2}), nullptr); });
  assembly->stop();
  EXPECT_EQ(assembly->next(milliseconds(1000))->status().code(), Code::kCancelled);
}

TEST(AssemblyTest, ABatchOutlivesTheAssembly) {
  auto assembly = make_assembly({.depth = 1, .max_depth = 1, .max_slots = 2}, 1);
  fill(*assembly, 0);
  const auto batch = **assembly->next(milliseconds(0));
  assembly->stop();
  assembly.reset();
  EXPECT_EQ(batch->count, 2u);
}

TEST(AssemblyTest, LetsWorkersFurtherAheadWhenItsDepthIsRaised) {
  const auto assembly = make_assembly({.depth = 1, .max_depth = 3, .max_slots = 4}, 9);
  for (std::uint64_t sequence = 0; sequence < 2; ++sequence) {
    if (sequence == 1) assembly->set_depth(2);
    ASSERT_NE(assembly->open(sequence, {.count = 1}), nullptr);
    assembly->finish(sequence, 1);
  }
  EXPECT_EQ(assembly->num_ready(), 2u);
  assembly->set_depth(99);
  EXPECT_EQ(assembly->depth(), 3u);
  ASSERT_TRUE(assembly->next(std::chrono::seconds(1))->ok());
  EXPECT_EQ(assembly->num_ready(), 1u);
}

}  // namespace
}  // namespace penstock::deliver
