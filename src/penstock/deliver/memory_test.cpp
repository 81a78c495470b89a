#include "penstock/deliver/memory.h"

#include <gtest/gtest.h>

#include <memory>

#include "penstock/source/testing.h"

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
  return plan.index_bytes + plan.entry_point_bytes + plan.sample_cache_bytes +
         plan.reading.num_stretches * plan.reading.stretch_bytes +
         static_cast<std::uint64_t>(num_threads) * plan.scratch_bytes + plan.large_bytes +
         plan.slots.max_slots * of.slot_bytes();
}

TEST(MemoryPlanTest, TogetherThePartsAreBelowTheCeiling) {
  const auto plan = make_plan();
  for (const int num_threads : {1, 2, 8, 64}) {
    for (const std::uint64_t ceiling : {256 * kMiB, 300 * kMiB, 1000 * kMiB, 64'000 * kMiB}) {
      const auto memory = plan_memory(*plan, {.num_threads = num_threads,
                                              .num_running = num_threads,
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
  const auto tiny = plan_memory(*plan, {.num_threads = 2, .num_running = 2, .ceiling_bytes = 1});
  EXPECT_EQ(
      tiny.status().message(),
      "memory: 1 B is too little for 2 batches of 3 MiB, an index of 775.8 KiB and 2 threads; "
      "expected at least 21 MiB, or a smaller batch");
  EXPECT_TRUE(
      plan_memory(*plan, {.num_threads = 2, .num_running = 2, .ceiling_bytes = 21 * kMiB}).ok());
  EXPECT_FALSE(
      plan_memory(*plan, {.num_threads = 2, .num_running = 2, .ceiling_bytes = 20 * kMiB}).ok());
}

TEST(MemoryPlanTest, KeepsAsManyBatchesReadyAsAskedForIfTheyFit) {
  const auto plan = make_plan();
  const auto memory = plan_memory(
      *plan, {.num_threads = 2, .num_running = 2, .prefetch = 5, .ceiling_bytes = 1000 * kMiB});
  EXPECT_EQ(memory->slots.depth, 6u);
}

TEST(MemoryPlanTest, EntryPointsTakeAnEighthOfWhatIsSpareAtMost) {
  const auto plan = make_plan();
  const auto granted = [&](std::uint64_t ceiling) {
    return plan_memory(*plan, {.num_threads = 2,
                               .num_running = 2,
                               .ceiling_bytes = ceiling,
                               .entry_point_bytes = 40 * kMiB})
        ->entry_point_bytes;
  };
  EXPECT_EQ(granted(1000 * kMiB), 40 * kMiB);
  EXPECT_LT(granted(29 * kMiB), 2 * kMiB);
  EXPECT_LT(granted(21 * kMiB), kMiB);
}

// Samples in storage that are kept.
class KeptSamplesPlanTest : public testing::Test {
 protected:
  std::shared_ptr<const pipeline::Plan> plan_of(const std::string& size) const {
    folder_.write("a.tar", source::tar_of({{"x.cls", "1"}, {"y.cls", "2"}}));
    pipeline::Spec spec;
    spec.source = {"tar", {folder_.path("a.tar")}, {{"index_cache", "false"}}, {}};
    spec.fields = {{"cls", {"label", {}}, {}}};
    spec.memory_cache = pipeline::MemoryCacheSpec{.size = size};
    auto plan = pipeline::make_plan(spec, {});
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    return std::shared_ptr<const pipeline::Plan>(std::move(plan).value());
  }

  source::TemporaryFolder folder_;
};

TEST_F(KeptSamplesPlanTest, TogetherWithTheOthersTheyAreBelowTheCeiling) {
  const auto plan = plan_of("");
  for (const int num_threads : {1, 2, 8}) {
    for (const std::uint64_t ceiling : {64 * kMiB, 300 * kMiB, 64'000 * kMiB}) {
      MemoryRequest request{
          .num_threads = num_threads, .num_running = num_threads, .ceiling_bytes = ceiling};
      const auto first = plan_memory(*plan, request);
      ASSERT_TRUE(first.ok()) << first.status().message();
      EXPECT_LE(total(*first, *plan, num_threads), ceiling);
      EXPECT_GT(first->sample_cache_bytes, ceiling / 10);
      // The next run keeps them, also if it finds entry points that the first did not.
      request.sample_cache_bytes = first->sample_cache_bytes;
      request.entry_point_bytes = ceiling;
      const auto second = plan_memory(*plan, request);
      ASSERT_TRUE(second.ok()) << second.status().message();
      EXPECT_EQ(second->sample_cache_bytes, first->sample_cache_bytes);
      EXPECT_LE(total(*second, *plan, num_threads), ceiling);
    }
  }
}

TEST_F(KeptSamplesPlanTest, TakeNoMoreThanAskedFor) {
  const MemoryRequest request{.ceiling_bytes = 1000 * kMiB};
  EXPECT_EQ(plan_memory(*plan_of("4MiB"), request)->sample_cache_bytes, 4 * kMiB);
  EXPECT_GT(plan_memory(*plan_of("4GiB"), request)->sample_cache_bytes, 400 * kMiB);
  EXPECT_LT(plan_memory(*plan_of("4GiB"), request)->sample_cache_bytes, 500 * kMiB);
}

TEST_F(KeptSamplesPlanTest, AreNotTakenOnUnderALowerCeiling) {
  const auto memory =
      plan_memory(*plan_of(""), {.ceiling_bytes = 100 * kMiB, .sample_cache_bytes = 200 * kMiB});
  EXPECT_EQ(memory.status().message(),
            "memory: 100 MiB leaves too little for a cache of 200 MiB that is there already, "
            "expected the ceiling that it was made under");
}

}  // namespace
}  // namespace penstock::deliver
