#include "penstock/deliver/memory.h"

#include <gtest/gtest.h>

#include <memory>

namespace penstock::deliver {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Batches of 3 MiB.
std::shared_ptr<const pipeline::Plan> make_plan() {
  pipeline::Spec spec;
  spec.source = {"synthetic", {}, {{"samples", "1000"}, {"shape", "128,128,3"}}, {}};
  spec.fields = {{"image", {"image", {}}, {}}};
  spec.batch = {64, "drop"};
  auto plan = pipeline::make_plan(spec, {});
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return std::shared_ptr<const pipeline::Plan>(std::move(plan).value());
}

std::uint64_t total(const MemoryPlan& plan, const pipeline::Plan& of, int num_threads) {
  return plan.index_bytes + plan.entry_point_bytes +
         plan.reading.num_stretches * plan.reading.stretch_bytes +
         static_cast<std::uint64_t>(num_threads) * plan.scratch_bytes + plan.large_bytes +
         plan.slots.max_slots * of.slot_bytes();
}

TEST(MemoryPlanTest, TogetherThePartsAreBelowTheCeiling) {
  const auto plan = make_plan();
  for (const int num_threads : {1, 2, 8, 64}) {
    for (const std::uint64_t ceiling : {256 * kMiB, 300 * kMiB, 1000 * kMiB, 64'000 * kMiB}) {
      const auto memory = plan_memory(*plan, {.num_threads = num_threads,
                                              .prefetch = 1000,
                                              .ceiling_bytes = ceiling,
                                              .entry_point_bytes = 40 * kMiB});
      ASSERT_TRUE(memory.ok()) << memory.status().message();
      EXPECT_LE(total(*memory, *plan, num_threads), ceiling);
      EXPECT_LT(memory->slots.depth, memory->slots.max_slots);
    }
  }
}

TEST(MemoryPlanTest, TheSmallestCeilingItNamesIsEnough) {
  const auto plan = make_plan();
  const auto tiny = plan_memory(*plan, {.num_threads = 2, .ceiling_bytes = 1});
  EXPECT_EQ(
      tiny.status().message(),
      "memory: 1 B is too little for 2 batches of 3 MiB, an index of 775.8 KiB and 2 threads; "
      "expected at least 21 MiB, or a smaller batch");
  EXPECT_TRUE(plan_memory(*plan, {.num_threads = 2, .ceiling_bytes = 21 * kMiB}).ok());
  EXPECT_FALSE(plan_memory(*plan, {.num_threads = 2, .ceiling_bytes = 20 * kMiB}).ok());
}

TEST(MemoryPlanTest, KeepsAsManyBatchesReadyAsAskedForIfTheyFit) {
  const auto plan = make_plan();
  const auto memory =
      plan_memory(*plan, {.num_threads = 2, .prefetch = 5, .ceiling_bytes = 1000 * kMiB});
  EXPECT_EQ(memory->slots.depth, 6u);
}

TEST(MemoryPlanTest, EntryPointsTakeAnEighthOfWhatIsSpareAtMost) {
  const auto plan = make_plan();
  const auto granted = [&](std::uint64_t ceiling) {
    return plan_memory(*plan,
                       {.num_threads = 2, .ceiling_bytes = ceiling, .entry_point_bytes = 40 * kMiB})
        ->entry_point_bytes;
  };
  EXPECT_EQ(granted(1000 * kMiB), 40 * kMiB);
  EXPECT_LT(granted(29 * kMiB), 2 * kMiB);
  EXPECT_LT(granted(21 * kMiB), kMiB);
}

}  // namespace
}  // namespace penstock::deliver
