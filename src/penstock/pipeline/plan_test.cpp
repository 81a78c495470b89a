#include "penstock/pipeline/plan.h"

#include <gtest/gtest.h>

#include <array>

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
  spec.fields.clear();
  EXPECT_EQ(error_of(spec), "no field is asked for, expected at least one, like image or label");
}

}  // namespace
}  // namespace penstock::pipeline
