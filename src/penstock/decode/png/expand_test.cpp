#include "penstock/decode/png/expand.h"

#include <gtest/gtest.h>

#include "penstock/decode/png/test_png.h"

namespace penstock::decode {
namespace {

struct Row {
  int depth = 8;
  PngColour colour = PngColour::kGray;
  Values bytes;
  Values palette = {};
};

Values expanded(const Row& row, int begin, int end, int channels) {
  const PngExpander expander({{end, 1}, row.depth, row.colour, false}, bytes_of(row.palette),
                             channels);
  Values out(static_cast<std::size_t>((end - begin) * expander.room_channels()));
  expander.expand(row.bytes.data(), begin, end, out.data());
  out.resize(static_cast<std::size_t>((end - begin) * channels));
  return out;
}

TEST(PngExpanderTest, SpreadsFewBits) {
  EXPECT_EQ(expanded({1, PngColour::kGray, {0b01100000}}, 0, 4, 1), (Values{0, 255, 255, 0}));
  EXPECT_EQ(expanded({2, PngColour::kGray, {0b00011011}}, 0, 4, 1), (Values{0, 85, 170, 255}));
  EXPECT_EQ(expanded({4, PngColour::kGray, {0x0F, 0x18}}, 0, 4, 1), (Values{0, 255, 17, 136}));
}

TEST(PngExpanderTest, BeginsInsideAByte) {
  EXPECT_EQ(expanded({1, PngColour::kGray, {0x01, 0x80}}, 7, 10, 1), (Values{255, 255, 0}));
  EXPECT_EQ(expanded({4, PngColour::kGray, {0x01, 0x23}}, 1, 3, 3),
            (Values{17, 17, 17, 34, 34, 34}));
}

TEST(PngExpanderTest, TakesTheHighByte) {
  EXPECT_EQ(expanded({16, PngColour::kGray, {1, 2, 3, 4}}, 0, 2, 1), (Values{1, 3}));
  EXPECT_EQ(expanded({16, PngColour::kRgb, {1, 2, 3, 4, 5, 6}}, 0, 1, 3), (Values{1, 3, 5}));
}

TEST(PngExpanderTest, DropsAlpha) {
  EXPECT_EQ(expanded({8, PngColour::kGrayAlpha, {1, 2, 3, 4}}, 0, 2, 3),
            (Values{1, 1, 1, 3, 3, 3}));
  EXPECT_EQ(expanded({16, PngColour::kGrayAlpha, {1, 2, 3, 4, 5, 6, 7, 8}}, 1, 2, 1), (Values{5}));
  EXPECT_EQ(expanded({8, PngColour::kRgba, {1, 2, 3, 4, 5, 6, 7, 8}}, 0, 2, 3),
            (Values{1, 2, 3, 5, 6, 7}));
  EXPECT_EQ(expanded({16, PngColour::kRgba, {1, 2, 3, 4, 5, 6, 7, 8}}, 0, 1, 3), (Values{1, 3, 5}));
}

TEST(PngExpanderTest, LooksUpPalettes) {
  EXPECT_EQ(expanded({8, PngColour::kPalette, {1, 0}, {1, 2, 3, 4, 5, 6}}, 0, 2, 3),
            (Values{4, 5, 6, 1, 2, 3}));
}

TEST(PngExpanderTest, ColoursThatAPaletteLacksAreBlack) {
  EXPECT_EQ(expanded({2, PngColour::kPalette, {0b00110000}, {1, 2, 3}}, 0, 2, 3),
            (Values{1, 2, 3, 0, 0, 0}));
}

TEST(PngExpanderTest, ColoursThatTheDepthCannotNameAreIgnored) {
  EXPECT_EQ(expanded({1, PngColour::kPalette, {0x80}, Values(768, 9)}, 0, 1, 3), (Values{9, 9, 9}));
}

// 0.299 * 200 + 0.587 * 100 + 0.114 * 50 = 124.2
TEST(PngExpanderTest, MakesGrayOfColour) {
  EXPECT_EQ(expanded({8, PngColour::kRgb, {200, 100, 50}}, 0, 1, 1), (Values{124}));
  EXPECT_EQ(expanded({8, PngColour::kRgba, {200, 100, 50, 0}}, 0, 1, 1), (Values{124}));
  EXPECT_EQ(expanded({8, PngColour::kPalette, {0}, {200, 100, 50}}, 0, 1, 1), (Values{124}));
}

}  // namespace
}  // namespace penstock::decode
