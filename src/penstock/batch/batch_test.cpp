#include "penstock/batch/batch.h"

#include <gtest/gtest.h>

namespace penstock::batch {
namespace {

BatchLayout image_and_label() {
  BatchLayout layout(3);
  layout.add_field("image", DType::kF32, {3, 5, 7});
  layout.add_field("label", DType::kI64, {});
  return layout;
}

TEST(BatchLayoutTest, FieldsBeginAligned) {
  const BatchLayout layout = image_and_label();
  EXPECT_EQ(layout.fields()[0].offset, 0u);
  EXPECT_EQ(layout.fields()[0].sample_bytes, 420u);
  EXPECT_EQ(layout.fields()[1].offset, 1280u);  // 3 * 420 = 1260, rounded up to 64
  EXPECT_EQ(layout.fields()[1].sample_bytes, 8u);
  EXPECT_EQ(layout.size_bytes(), 1344u);
}

TEST(BatchTest, SamplesLieOneAfterTheOther) {
  Batch batch(image_and_label());
  batch.count = 2;
  EXPECT_EQ(batch.sample(0, 1).data(), batch.memory.data() + 420);
  EXPECT_EQ(batch.sample(1, 2).data(), batch.memory.data() + 1280 + 16);
  EXPECT_EQ(batch.array(0).size(), 840u);
}

TEST(BatchTest, LargeSlotsAreAlignedToHugePages) {
  BatchLayout layout(64);
  layout.add_field("image", DType::kU8, {224, 224, 3});
  const Batch batch(layout);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.memory.data()) % (2u << 20), 0u);
}

}  // namespace
}  // namespace penstock::batch
