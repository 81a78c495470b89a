#include "penstock/pipeline/plan.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "penstock/format/tar_writer.h"

namespace penstock::pipeline {
namespace {

Spec synthetic_spec() {
  Spec spec;
  spec.source = {"synthetic", {}, {{"samples", "100"}, {"shape", "8,6,3"}}};
  spec.fields = {{"image", {"image", {}}, {}}, {"label", {"label", {}}, {}}};
  spec.batch.size = 10;
  return spec;
}

std::string error_of(const Spec& spec) {
  return std::string(make_plan(spec, {}).status().message());
}

TEST(PlanTest, LaysOutTheBatch) {
  const auto plan = make_plan(synthetic_spec(), {});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  const auto& fields = (*plan)->layout().fields();
  EXPECT_EQ(fields[0].shape, Shape({3, 8, 6}));
  EXPECT_EQ(fields[0].dtype, DType::kU8);
  EXPECT_EQ(fields[1].dtype, DType::kI64);
  EXPECT_EQ((*plan)->batches().num_batches(), 10u);
  EXPECT_FALSE((*plan)->reads_storage());
}

TEST(PlanTest, NormalizedImagesAreFloats) {
  Spec spec = synthetic_spec();
  spec.fields[0].ops = {{"normalize", {}}};
  const auto plan = make_plan(spec, {});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ((*plan)->layout().fields()[0].dtype, DType::kF32);
}

TEST(PlanTest, TakesTheRankOfTheLauncherUnlessTold) {
  const auto plan = make_plan(synthetic_spec(), {.launcher = {1, 5}});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ((*plan)->spec().shard, (RankSpec{1, 5}));
  EXPECT_EQ((*plan)->batches().num_batches(), 2u);
}

TEST(PlanTest, ResolvesTheWindow) {
  Spec spec = synthetic_spec();
  spec.shuffle = ShuffleSpec{};
  EXPECT_EQ((*make_plan(spec, {}))->spec().shuffle->window, "global");
  spec.shuffle->window = "50";
  EXPECT_EQ((*make_plan(spec, {}))->spec().shuffle->window, "50");
}

TEST(PlanTest, ReadsWhatIsKeptInMemory) {
  Spec spec = synthetic_spec();
  EXPECT_FALSE((*make_plan(spec, {}))->memory_cache().has_value());
  spec.memory_cache = MemoryCacheSpec{};
  const auto all = make_plan(spec, {});
  EXPECT_EQ((*all)->memory_cache()->max_bytes, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ((*all)->memory_cache()->what, CacheContent::kBytes);
  spec.memory_cache = MemoryCacheSpec{"2KiB", "pixels"};
  const auto some = make_plan(spec, {});
  EXPECT_EQ((*some)->memory_cache()->max_bytes, 2048u);
  EXPECT_EQ((*some)->memory_cache()->what, CacheContent::kPixels);
}

TEST(PlanTest, NamesWhatIsWrong) {
  Spec spec = synthetic_spec();
  spec.source.kind = "csv";
  EXPECT_EQ(error_of(spec),
            "no source 'csv', expected one of: folder, tar, tfrecord, arrays, synthetic, concat, "
            "zip, mix, filter");

  spec = synthetic_spec();
  spec.source.options.push_back({"color", "1"});
  EXPECT_EQ(error_of(spec),
            "synthetic: no option 'color', expected one of: samples, shape, classes");

  spec = synthetic_spec();
  spec.fields[0].name = "jpg";
  EXPECT_EQ(error_of(spec),
            "image 'jpg': no sample has a field 'jpg', expected one of: image, label");

  spec = synthetic_spec();
  spec.fields[0].ops = {{"random_flip", {{"probability", "1.5"}}}};
  EXPECT_EQ(error_of(spec),
            "image 'image': random_flip: probability is 1.5, expected a value in [0, 1]");

  spec = synthetic_spec();
  spec.fields[1].name = "image";
  EXPECT_EQ(error_of(spec), "field 'image' is asked for twice");

  spec = synthetic_spec();
  spec.batch.size = 1000;
  EXPECT_EQ(
      error_of(spec),
      "batch: 100 samples do not fill one batch of 1000 on each of 1 ranks; use last=keep or a "
      "smaller batch");

  spec = synthetic_spec();
  spec.batch.last = "tear";
  EXPECT_EQ(error_of(spec), "batch: last is tear, expected drop, keep or wrap");

  spec = synthetic_spec();
  spec.shuffle = ShuffleSpec{.window = "much"};
  EXPECT_EQ(error_of(spec),
            "shuffle: window is much, expected a number of samples, a size like 512MiB, global or "
            "auto");

  spec = synthetic_spec();
  spec.memory_cache = MemoryCacheSpec{"much", "bytes"};
  EXPECT_EQ(error_of(spec),
            "memory_cache: size: 'much' is not a size, expected one like 512MiB, 1.5GB or 4096");
  spec.memory_cache = MemoryCacheSpec{"", "files"};
  EXPECT_EQ(error_of(spec), "memory_cache: what is files, expected bytes or pixels");

  spec = synthetic_spec();
  spec.fields.clear();
  EXPECT_EQ(error_of(spec), "no field is asked for, expected at least one, like image or label");
}

class DamagedPlanTest : public testing::Test {
 protected:
  // Two samples, of which the second is cut.
  DamagedPlanTest() {
    path_ = testing::TempDir() + "damaged_plan_test.tar";
    std::vector<std::byte> shard;
    const std::string label = "7";
    for (const char* name : {"a.cls", "b.cls"}) {
      EXPECT_TRUE(format::append_tar_member(shard, name, std::as_bytes(std::span(label))).ok());
    }
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(shard.data()), 1024 + 512);
    spec_.source = {"tar", {path_}, {{"index_cache", "false"}}, {}};
    spec_.fields = {{"cls", {"label", {}}, {}}};
  }
  ~DamagedPlanTest() override { std::remove(path_.c_str()); }

  std::string path_;
  Spec spec_;
};

TEST_F(DamagedPlanTest, RefusesADamagedSource) {
  const Status status = make_plan(spec_, {}).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(),
            path_ + ": member b.cls at byte 1024 needs 1 bytes, the shard has 0 left");
}

TEST_F(DamagedPlanTest, GoesOnWithWhatIsLeftIfToldTo) {
  const auto plan = make_plan(spec_, {.tolerates_damage = true});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ((*plan)->source().num_samples(), 1u);
  EXPECT_EQ((*plan)->source().damages()[0].key, "b");
}

}  // namespace
}  // namespace penstock::pipeline
