#include "penstock/deliver/run.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace penstock::deliver {
namespace {

using pipeline::Plan;
using pipeline::Spec;

Spec shuffled_spec() {
  Spec spec;
  spec.source = {"synthetic", {}, {{"samples", "97"}, {"shape", "8,6,3"}}};
  spec.shuffle = pipeline::ShuffleSpec{};
  spec.seed = 3;
  spec.fields = {{"image", {"image", {}}, {{"random_flip", {}}, {"normalize", {}}}},
                 {"label", {"label", {}}, {}}};
  spec.batch = {10, "keep"};
  spec.epochs = 2;
  return spec;
}

std::shared_ptr<const Plan> make_plan(const Spec& spec) {
  auto plan = pipeline::make_plan(spec, {});
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return std::shared_ptr<const Plan>(std::move(plan).value());
}

std::unique_ptr<Run> start(const Spec& spec, const RunOptions& options) {
  auto run = Run::start(make_plan(spec), options);
  EXPECT_TRUE(run.ok()) << run.status().message();
  return std::move(run).value();
}

struct Delivered {
  std::vector<std::uint64_t> samples;
  std::string bytes;
  friend bool operator==(const Delivered&, const Delivered&) = default;
};

Delivered deliver_all(const Spec& spec, const RunOptions& options) {
  const auto run = start(spec, options);
  Delivered all;
  while (true) {
    const auto batch = run->next();
    EXPECT_TRUE(batch.ok()) << batch.status().message();
    if (!batch.ok() || *batch == nullptr) return all;
    all.samples.insert(all.samples.end(), (*batch)->samples.begin(),
                       (*batch)->samples.begin() + static_cast<std::ptrdiff_t>((*batch)->count));
    for (std::size_t field = 0; field < 2; ++field) {
      const Bytes array = (*batch)->array(field);
      all.bytes.append(reinterpret_cast<const char*>(array.data()), array.size());
    }
  }
}

TEST(RunTest, DeliversEverySampleOnceAnEpoch) {
  const Delivered all = deliver_all(shuffled_spec(), {.threads = 2});
  ASSERT_EQ(all.samples.size(), 2 * 97u);
  const std::set<std::uint64_t> first(all.samples.begin(), all.samples.begin() + 97);
  EXPECT_EQ(first.size(), 97u);
  EXPECT_EQ(*first.rbegin(), 96u);
}

TEST(RunTest, ThreadsAndPrefetchChangeNothing) {
  const Delivered one = deliver_all(shuffled_spec(), {.threads = 1, .prefetch = 0});
  for (const int threads : {2, 3, 8}) {
    EXPECT_EQ(deliver_all(shuffled_spec(), {.threads = threads, .prefetch = threads}), one);
  }
}

TEST(RunTest, EpochsDiffer) {
  const Delivered all = deliver_all(shuffled_spec(), {.threads = 2});
  EXPECT_NE(std::vector(all.samples.begin(), all.samples.begin() + 97),
            std::vector(all.samples.begin() + 97, all.samples.end()));
}

TEST(RunTest, CanBeginWithALaterEpoch) {
  Spec one_epoch = shuffled_spec();
  one_epoch.epochs = 1;
  const Delivered both = deliver_all(shuffled_spec(), {.threads = 2});
  const Delivered second = deliver_all(one_epoch, {.threads = 2, .begin = {.epoch = 1}});
  EXPECT_EQ(second.samples, std::vector(both.samples.begin() + 97, both.samples.end()));
}

TEST(RunTest, GoesOnAfterAnyBatch) {
  Spec spec = shuffled_spec();
  const Delivered all = deliver_all(spec, {.threads = 2});
  const auto run = start(spec, {.threads = 2});
  std::size_t num_before = 0;
  while (true) {
    const auto batch = *run->next();
    if (batch == nullptr) break;
    num_before += batch->count;
    const Place place = batch->end_position < 97 ? Place{batch->epoch, batch->end_position}
                                                 : Place{batch->epoch + 1, 0};
    if (place.epoch == 2) break;
    const Delivered rest = deliver_all(spec, {.threads = 3, .begin = place});
    EXPECT_EQ(rest.samples,
              std::vector(all.samples.begin() + static_cast<std::ptrdiff_t>(num_before),
                          all.samples.end()));
  }
}

TEST(RunTest, NumbersBatchesOnWhenResumed) {
  const auto run = start(shuffled_spec(), {.threads = 2, .begin = {.epoch = 1, .position = 30}});
  const auto batch = *run->next();
  EXPECT_EQ(batch->epoch, 1u);
  EXPECT_EQ(batch->number, 3u);
  EXPECT_EQ(batch->end_position, 40u);
}

TEST(RunTest, RejectsAPlaceBehindTheEpoch) {
  const auto run = Run::start(make_plan(shuffled_spec()), {.begin = {.epoch = 0, .position = 98}});
  EXPECT_EQ(run.status().message(),
            "batch: first_position is 98, expected at most the number of samples, 97");
}

TEST(RunTest, KeepsFewerBatchesReadyIfMemoryIsShort) {
  const auto run = start(shuffled_spec(),
                         {.threads = 1, .prefetch = 1000, .memory_bytes = std::uint64_t{12} << 20});
  while (*run->next() != nullptr) {
  }
  EXPECT_LT(run->stats().memory.slot_bytes, std::uint64_t{12} << 20);
}

TEST(RunTest, StopsFromAnyState) {
  Spec endless = shuffled_spec();
  endless.epochs = std::nullopt;
  for (int batches_taken = 0; batches_taken < 30; ++batches_taken) {
    const auto run = start(endless, {.threads = 3, .prefetch = 1});
    for (int i = 0; i < batches_taken; ++i) ASSERT_TRUE(run->next().ok());
  }
}

TEST(RunTest, ABatchOutlivesTheRun) {
  auto run = start(shuffled_spec(), {.threads = 1});
  const auto batch = *run->next();
  run.reset();
  EXPECT_EQ(batch->count, 10u);
  EXPECT_EQ(batch->array(1).size(), 80u);
}

TEST(RunTest, StopEndsAWaitingConsumer) {
  const auto run = start(shuffled_spec(), {.threads = 1});
  run->stop();
  EXPECT_EQ(run->next().status().code(), Code::kCancelled);
}

TEST(RunTest, RejectsACeilingBelowWhatThePlanNeeds) {
  const auto run =
      Run::start(make_plan(shuffled_spec()), {.threads = 2, .prefetch = 2, .memory_bytes = 1000});
  EXPECT_EQ(
      run.status().message(),
      "memory: 1000 B is too little for 2 batches of 5.8 KiB, an index of 3 KiB and 2 threads; "
      "expected at least 15 MiB, or a smaller batch");
}

TEST(RunTest, CountsWhatItDid) {
  const auto run = start(shuffled_spec(), {.threads = 2});
  while (*run->next() != nullptr) {
  }
  const RunStats stats = run->stats();
  EXPECT_EQ(stats.now.transform.samples, 194u);
  EXPECT_EQ(stats.now.batches, 20u);
  EXPECT_EQ(stats.now.decode.threads, 2);
  EXPECT_GT(stats.now.transform.busy_s, 0);
}

}  // namespace
}  // namespace penstock::deliver
