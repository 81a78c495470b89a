#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

TEST(ChainTest, TheEmptyChainChangesNothing) {
  const auto made = chain({});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->draw({7, 5}, {})->geometry, unchanged({7, 5}));
  EXPECT_EQ(made->output_size(), std::nullopt);
  EXPECT_EQ(made->output_size({{7, 5}}), (ImageSize{7, 5}));
}

TEST(ChainTest, OpsDrawFromStreamsOfTheirOwn) {
  const auto twice = chain({"random_flip", "random_flip"});
  ASSERT_TRUE(twice.ok());
  int mirrored_once = 0;
  for (std::uint64_t sample = 0; sample < 400; ++sample) {
    mirrored_once += twice->draw({2, 1}, {.sample = sample})->geometry.x.scale < 0;
  }
  EXPECT_NEAR(mirrored_once, 200, 40);
}

TEST(ChainTest, NumbersOpsFromTheFirst) {
  const auto one = chain({"random_flip"});
  const auto two = chain({"grayscale", "random_flip"});
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    EXPECT_EQ(one->draw({2, 1}, {.sample = sample, .op = 6})->geometry,
              two->draw({2, 1}, {.sample = sample, .op = 5})->geometry);
  }
}

TEST(ChainTest, OutputSizeFollowsTheOps) {
  EXPECT_EQ(chain({"resize size=256", "center_crop size=224"})->output_size(),
            (ImageSize{224, 224}));
  EXPECT_EQ(chain({"center_crop size=10", "resize size=20"})->output_size(), (ImageSize{20, 20}));
  EXPECT_EQ(chain({"resize size=256"})->output_size(), std::nullopt);
}

TEST(ChainTest, RejectsAColourOpAfterNormalize) {
  EXPECT_EQ(chain({"normalize", "random_flip", "hue"}).status().message(),
            "hue: comes after normalize, expected every colour op before it");
}

TEST(ChainTest, NamesTheOpWithAWrongValue) {
  EXPECT_EQ(chain({"random_flip", "pad fill=-1"}).status().message(),
            "pad: fill is -1, expected a value in [0, 255]");
}

TEST(ChainTest, RefusesNormalizedBytes) {
  const auto made = chain({"normalize"});
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->is_normalized());
  EXPECT_TRUE(made->check_format({.dtype = DType::kF16}).ok());
  EXPECT_EQ(made->check_format({.dtype = DType::kU8}).message(),
            "normalize gives fractions, type is u8, expected f16, bf16 or f32");
}

TEST(ChainTest, RefusesThreeMeansForGrayImages) {
  EXPECT_EQ(chain({"normalize"})->check_format({.dtype = DType::kF32, .channels = 1}).message(),
            "normalize has numbers for 3 channels, the image has 1");
  EXPECT_TRUE(chain({"normalize mean=0.5 std=0.5"})
                  ->check_format({.dtype = DType::kF32, .channels = 1})
                  .ok());
}

TEST(ChainTest, RefusesPaddingThatReachesTooFar) {
  EXPECT_EQ(chain({"resize size=1,1", "pad padding=30000", "resize size=9,9"})
                ->draw({1000, 1000}, {})
                .status(),
            Status(Code::kUnsupported,
                   "resize: the source with its padding is 60001000 pixels long, at most 1048576 "
                   "are possible"));
}

TEST(ChainTest, RefusesTwoFillColours) {
  EXPECT_EQ(chain({"pad padding=1 fill=1", "pad padding=1 fill=2"})->draw({2, 2}, {}).status(),
            Status(Code::kUnsupported, "pad: fill is another colour than that of an earlier op"));
}

TEST(ChainTest, RefusesAnImageWithoutPixels) {
  EXPECT_EQ(chain({})->draw({0, 5}, {}).status().message(),
            "the image is 0x5, expected at least one pixel");
}

}  // namespace
}  // namespace penstock::transform
