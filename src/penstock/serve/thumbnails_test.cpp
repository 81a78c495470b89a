#include "penstock/serve/thumbnails.h"

#include <gmock/gmock.h>

#include "penstock/serve/testing.h"

namespace penstock::serve {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::StartsWith;

// Two images, each pixel of another colour.
TestImages two_images() {
  TestImages images{.labels = {7, -1}};
  for (int i = 0; i < 24; ++i) images.pixels.push_back(static_cast<std::uint8_t>(10 * i));
  return images;
}

Thumbnails thumbnails_of(const TestImages& images, const OptionText& reader,
                         std::vector<OptionText> ops = {}) {
  const auto plan = plan_of(images, reader, std::move(ops));
  const auto run = run_of(plan);
  return make_thumbnails(*plan, *next_of(*run));
}

class FormatTest : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(FormatTest, ShowsPixelsAsTheyWereBeforeTheyWereConverted) {
  const TestImages images = two_images();
  const auto [dtype, layout] = GetParam();
  const bool is_float = std::string_view(dtype) != "u8";
  std::vector<OptionText> ops;
  if (is_float) ops.push_back({"normalize", {}});
  const Thumbnails made =
      thumbnails_of(images, {"image", {{"dtype", dtype}, {"layout", layout}}}, ops);
  EXPECT_EQ(made.width, 2);
  EXPECT_EQ(made.height, 2);
  ASSERT_EQ(made.pixels.size(), images.pixels.size());
  for (std::size_t i = 0; i < made.pixels.size(); ++i) {
    EXPECT_NEAR(made.pixels[i], images.pixels[i], is_float ? 1 : 0) << "value " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FormatTest,
                         testing::Values(std::pair{"u8", "CHW"}, std::pair{"u8", "HWC"},
                                         std::pair{"f32", "CHW"}, std::pair{"f16", "HWC"},
                                         std::pair{"bf16", "CHW"}));

TEST(ThumbnailsTest, ScalesFloatsThatAreNotNormalised) {
  const TestImages images = two_images();
  EXPECT_THAT(thumbnails_of(images, {"image", {{"dtype", "f32"}}}).pixels,
              ElementsAreArray(images.pixels));
}

TEST(ThumbnailsTest, ShrinksLargeImagesToTheMeanOfFourPixels) {
  const TestImages images{.pixels = std::vector<std::uint8_t>(24, 90), .labels = {0, 1}};
  const Thumbnails made = thumbnails_of(images, {"image", {}}, {{"resize", {{"size", "224,448"}}}});
  EXPECT_EQ(made.width, 112);
  EXPECT_EQ(made.height, 56);
  EXPECT_THAT(made.pixels, testing::SizeIs(2 * 112 * 56 * 3));
  EXPECT_THAT(made.pixels, testing::Each(90));
}

TEST(ThumbnailsTest, StaysInsideAnImageOfOneRow) {
  const TestImages images{.pixels = std::vector<std::uint8_t>(24, 90), .labels = {0, 1}};
  const Thumbnails made = thumbnails_of(images, {"image", {}}, {{"resize", {{"size", "1,1000"}}}});
  EXPECT_EQ(made.width, 111);
  EXPECT_EQ(made.height, 1);
  EXPECT_THAT(made.pixels, testing::Each(90));
}

TEST(ThumbnailsTest, CaptionsNameSampleAndLabel) {
  const Thumbnails made = thumbnails_of(two_images(), {"image", {}});
  ASSERT_EQ(made.captions.size(), 2U);
  EXPECT_EQ(made.captions[1].sample, 1U);
  EXPECT_EQ(made.captions[1].name, "sample 1");
  EXPECT_EQ(made.captions[0].label, 7);
  EXPECT_EQ(made.captions[1].label, -1);
  EXPECT_EQ(made.captions[1].class_name, "");
}

TEST(BmpFileTest, HoldsRowsFromTheTopInBlueGreenRed) {
  const Thumbnails one{.width = 1, .height = 2, .pixels = {1, 2, 3, 4, 5, 6}};
  const std::string bmp = bmp_file(one);
  ASSERT_EQ(bmp.size(), 54U + 2 * 4);
  EXPECT_THAT(bmp, StartsWith("BM"));
  EXPECT_EQ(bmp[22], -2);  // the height
  EXPECT_THAT(bmp.substr(54), ElementsAre(3, 2, 1, 0, 6, 5, 4, 0));
}

TEST(BmpFileTest, IsEmptyWithoutPixels) { EXPECT_EQ(bmp_file({}), ""); }

}  // namespace
}  // namespace penstock::serve
