// Runs that keep samples in memory: what later epochs read, and that batches stay the same.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "penstock/base/rng.h"
#include "penstock/decode/jpeg/encode.h"
#include "penstock/deliver/run.h"
#include "penstock/format/example_writer.h"
#include "penstock/format/tfrecord_writer.h"
#include "penstock/source/testing.h"

namespace penstock::deliver {
namespace {

using pipeline::MemoryCacheSpec;
using pipeline::Plan;
using pipeline::Spec;

constexpr int kNumSamples = 24;

// Noise, of sides that are no multiple of 8, and so large that a decoder may shrink it to 16 x 16.
std::string jpeg_text(int seed) {
  const int width = 60 + seed, height = 90 - seed;
  Rng rng(RngKey{.seed = static_cast<std::uint64_t>(seed)});
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width * height * 3));
  for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(rng.uniform() * 256);
  const ImageView view{pixels.data(), width, height, 3, static_cast<std::size_t>(3 * width)};
  const auto jpeg = decode::encode_jpeg(view, {});
  EXPECT_TRUE(jpeg.ok());
  return {reinterpret_cast<const char*>(jpeg->data()), jpeg->size()};
}

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::shared_ptr<const Plan> plan_of(const Spec& spec) {
  auto plan = pipeline::make_plan(spec, {});
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return std::shared_ptr<const Plan>(std::move(plan).value());
}

// All that an epoch delivered.
struct Epoch {
  std::string bytes;
  RunStats stats;
  std::shared_ptr<SampleCache> cache;
};

Epoch run_epoch(const std::shared_ptr<const Plan>& plan, std::uint32_t number,
                std::shared_ptr<SampleCache> cache = nullptr) {
  auto run = Run::start(plan, {.threads = 2,
                               .begin = {.epoch = number},
                               .entry_points = EntryPointUse::kOff,
                               .sample_cache = std::move(cache)});
  EXPECT_TRUE(run.ok()) << run.status().message();
  Epoch epoch;
  while (true) {
    const auto batch = (*run)->next();
    EXPECT_TRUE(batch.ok()) << batch.status().message();
    if (!batch.ok() || *batch == nullptr) break;
    for (std::size_t field = 0; field < (*batch)->layout.fields().size(); ++field) {
      const Bytes array = (*batch)->array(field);
      epoch.bytes.append(reinterpret_cast<const char*>(array.data()), array.size());
    }
  }
  epoch.stats = (*run)->stats();
  epoch.cache = (*run)->sample_cache();
  return epoch;
}

class SampleCacheRunTest : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<source::Member> members;
    std::vector<std::byte> records;
    for (int i = 0; i < kNumSamples; ++i) {
      const std::string jpeg = jpeg_text(i);
      jpeg_bytes_ += jpeg.size();
      folder_.write(concat("pets/all/", 10 + i, ".jpg"), jpeg);
      members.push_back({concat(i, ".jpg"), jpeg});
      members.push_back({concat(i, ".cls"), concat(i % 7)});
      const std::vector<format::FeatureInput> features = {
          {"jpg", std::vector<Bytes>{bytes_of(jpeg)}}, {"cls", std::vector<std::int64_t>{i % 7}}};
      const auto example = format::encode_example(features);
      ASSERT_TRUE(example.ok());
      record_bytes_ += example->size() + 4;  // with its checksum
      format::append_tfrecord(records, bytes_of(*example));
    }
    folder_.write("a.tar", source::tar_of(members));
    folder_.write("a.tfrecord", {reinterpret_cast<const char*>(records.data()), records.size()});
  }

  // "folder", "tar" or "tfrecord".
  Spec spec_of(const std::string& kind) const {
    const bool is_folder = kind == "folder";
    Spec spec;
    spec.source = {kind, {folder_.path(is_folder ? "pets" : concat("a.", kind))}, {}, {}};
    spec.shuffle = pipeline::ShuffleSpec{};
    spec.fields = {{is_folder ? "image" : "jpg",
                    {"image", {}},
                    {{"resize", {{"size", "16,16"}}}, {"random_flip", {}}}}};
    if (!is_folder) spec.fields.push_back({"cls", {"label", {}}, {}});
    spec.batch = {5, "keep"};
    return spec;
  }

  source::TemporaryFolder folder_;
  std::uint64_t jpeg_bytes_ = 0;
  std::uint64_t record_bytes_ = 0;
};

TEST_F(SampleCacheRunTest, LaterEpochsReadNothing) {
  for (const char* kind : {"folder", "tar", "tfrecord"}) {
    Spec spec = spec_of(kind);
    const std::string expected = run_epoch(plan_of(spec), 1).bytes;
    spec.memory_cache = MemoryCacheSpec{};
    const auto plan = plan_of(spec);
    const Epoch first = run_epoch(plan, 0);
    EXPECT_GE(first.stats.now.read.bytes, jpeg_bytes_);
    EXPECT_EQ(first.stats.memory_cache->hit_bytes, 0u);
    const Epoch second = run_epoch(plan, 1, first.cache);
    EXPECT_EQ(second.stats.now.read.bytes, 0u);
    EXPECT_EQ(second.stats.memory_cache->hit_bytes, first.stats.memory_cache->missed_bytes);
    EXPECT_EQ(second.stats.memory_cache->missed_bytes, 0u);
    EXPECT_EQ(second.bytes, expected);
  }
}

TEST_F(SampleCacheRunTest, LaterEpochsDoNotTouchStorage) {
  Spec spec = spec_of("tar");
  spec.memory_cache = MemoryCacheSpec{};
  const auto plan = plan_of(spec);
  const Epoch first = run_epoch(plan, 0);
  folder_.write("a.tar", "");
  EXPECT_EQ(run_epoch(plan, 0, first.cache).bytes, first.bytes);
}

TEST_F(SampleCacheRunTest, EpochsOfOneRunShareIt) {
  Spec spec = spec_of("tar");
  spec.memory_cache = MemoryCacheSpec{};
  spec.epochs = 3;
  const Epoch all = run_epoch(plan_of(spec), 0);
  const std::uint64_t dataset_bytes = jpeg_bytes_ + kNumSamples;
  EXPECT_EQ(all.stats.memory_cache->missed_bytes, dataset_bytes);
  EXPECT_EQ(all.stats.memory_cache->hit_bytes, 2 * dataset_bytes);
  EXPECT_EQ(all.stats.memory_cache->stored_bytes, dataset_bytes);
}

TEST_F(SampleCacheRunTest, FeaturesOfARecordAreKeptOnce) {
  Spec spec = spec_of("tfrecord");
  spec.memory_cache = MemoryCacheSpec{};
  const Epoch first = run_epoch(plan_of(spec), 0);
  EXPECT_EQ(first.stats.memory_cache->stored_bytes, record_bytes_);
  EXPECT_EQ(first.stats.memory_cache->missed_bytes, record_bytes_);
}

TEST_F(SampleCacheRunTest, WhereHalfFitsHalfIsFoundInEveryEpoch) {
  for (const char* kind : {"folder", "tar", "tfrecord"}) {
    Spec spec = spec_of(kind);
    spec.memory_cache = MemoryCacheSpec{concat(jpeg_bytes_ / 2), "bytes"};
    const auto plan = plan_of(spec);
    std::shared_ptr<SampleCache> cache;
    for (const std::uint32_t epoch : {0, 1, 2}) {
      const Epoch done = run_epoch(plan, epoch, cache);
      Spec without = spec;
      without.memory_cache.reset();
      EXPECT_EQ(done.bytes, run_epoch(plan_of(without), epoch).bytes);
      EXPECT_TRUE(done.stats.memory_cache->is_full);
      EXPECT_LE(done.stats.memory.cache_bytes, jpeg_bytes_ / 2);
      cache = done.cache;
      if (epoch == 0) continue;
      const double hits = static_cast<double>(done.stats.memory_cache->hit_bytes);
      EXPECT_NEAR(hits / static_cast<double>(jpeg_bytes_), 0.5, 0.1);
    }
  }
}

TEST_F(SampleCacheRunTest, PixelsAreTheSameWithAnyBudgetInEveryEpoch) {
  for (const char* kind : {"folder", "tar", "tfrecord"}) {
    std::vector<std::string> expected;
    for (const char* size : {"0", "50KB", ""}) {
      Spec spec = spec_of(kind);
      spec.memory_cache = MemoryCacheSpec{size, "pixels"};
      const auto plan = plan_of(spec);
      std::shared_ptr<SampleCache> cache;
      for (const std::uint32_t epoch : {0, 1, 2}) {
        const Epoch done = run_epoch(plan, epoch, cache);
        cache = done.cache;
        if (expected.size() <= epoch) expected.push_back(done.bytes);
        EXPECT_EQ(done.bytes, expected[epoch]) << kind << " " << size << " epoch " << epoch;
      }
    }
  }
}

TEST_F(SampleCacheRunTest, PixelsAreThoseOfTheWholeImage) {
  Spec spec = spec_of("folder");
  const std::string coarse = run_epoch(plan_of(spec), 0).bytes;
  spec.memory_cache = MemoryCacheSpec{"", "pixels"};
  const std::string whole = run_epoch(plan_of(spec), 0).bytes;
  EXPECT_NE(whole, coarse);
  // A crop is decoded at full scale anyway.
  spec = spec_of("folder");
  spec.fields[0].ops = {{"random_crop", {{"size", "16,16"}}}};
  const std::string crops = run_epoch(plan_of(spec), 0).bytes;
  spec.memory_cache = MemoryCacheSpec{"", "pixels"};
  EXPECT_EQ(run_epoch(plan_of(spec), 0).bytes, crops);
}

TEST_F(SampleCacheRunTest, WithPixelsLaterEpochsNeitherReadNorDecode) {
  for (const char* kind : {"folder", "tar", "tfrecord"}) {
    Spec spec = spec_of(kind);
    spec.memory_cache = MemoryCacheSpec{"", "pixels"};
    const auto plan = plan_of(spec);
    const Epoch first = run_epoch(plan, 0);
    EXPECT_GT(first.stats.now.decode.busy_s, 0);
    EXPECT_GT(first.stats.memory_cache->stored_bytes, kNumSamples * std::uint64_t{60 * 60 * 3});
    const Epoch second = run_epoch(plan, 1, first.cache);
    EXPECT_EQ(second.stats.now.read.bytes, 0u);
    EXPECT_EQ(second.stats.now.decode.busy_s, 0);
    EXPECT_EQ(second.stats.memory_cache->hit_bytes, first.stats.memory_cache->missed_bytes);
    EXPECT_EQ(second.stats.memory_cache->missed_bytes, 0u);
  }
}

TEST_F(SampleCacheRunTest, WhatCannotBeReadIsNotKept) {
  Spec spec = spec_of("folder");
  spec.memory_cache = MemoryCacheSpec{};
  const auto plan = plan_of(spec);
  std::filesystem::rename(folder_.path("pets/all/10.jpg"), folder_.path("away.jpg"));
  auto broken = Run::start(plan, {.threads = 1, .errors = {.on_error = OnError::kSkip}});
  ASSERT_TRUE(broken.ok());
  while (*(*broken)->next() != nullptr) {
  }
  EXPECT_EQ((*broken)->stats().bad_samples, 1u);
  std::filesystem::rename(folder_.path("away.jpg"), folder_.path("pets/all/10.jpg"));
  const Epoch mended = run_epoch(plan, 0, (*broken)->sample_cache());
  EXPECT_EQ(mended.stats.now.transform.samples, static_cast<std::uint64_t>(kNumSamples));
  EXPECT_GT(mended.stats.memory_cache->missed_bytes, 0u);
}

TEST_F(SampleCacheRunTest, RefusesTheCacheOfAnotherPipeline) {
  Spec spec = spec_of("folder");
  spec.memory_cache = MemoryCacheSpec{};
  const Epoch first = run_epoch(plan_of(spec), 0);
  spec.memory_cache->what = "pixels";
  const auto other = Run::start(plan_of(spec), {.sample_cache = first.cache});
  EXPECT_EQ(other.status().message(), "sample_cache is of another pipeline");
}

TEST_F(SampleCacheRunTest, KeepsNothingUnlessAskedTo) {
  Spec spec = spec_of("folder");
  spec.memory_cache = MemoryCacheSpec{};
  const Epoch asked = run_epoch(plan_of(spec), 0);
  spec.memory_cache.reset();
  const Epoch epoch = run_epoch(plan_of(spec), 0, asked.cache);
  EXPECT_EQ(epoch.cache, nullptr);
  EXPECT_FALSE(epoch.stats.memory_cache.has_value());
  EXPECT_GT(epoch.stats.now.read.bytes, 0u);
}

}  // namespace
}  // namespace penstock::deliver
