#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "penstock/source/source.h"

namespace penstock::source {
namespace {

std::unique_ptr<Source> make(const SyntheticOptions& options) {
  auto source = make_synthetic_source(options);
  EXPECT_TRUE(source.ok()) << source.status().message();
  return *std::move(source);
}

template <class T>
std::vector<T> values(Bytes bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

TEST(SyntheticSourceTest, RepeatsItsImages) {
  const auto source = make({.samples = 100, .shape = {8, 8, 3}});
  EXPECT_TRUE(std::ranges::equal(source->row(3, 0), source->row(19, 0)));
  EXPECT_FALSE(std::ranges::equal(source->row(3, 0), source->row(4, 0)));
}

TEST(SyntheticSourceTest, LabelsGoRoundTheClasses) {
  const auto source = make({.samples = 30, .shape = {2}, .classes = 10});
  EXPECT_THAT(values<std::int64_t>(source->row(7, 1)), testing::ElementsAre(7));
  EXPECT_THAT(values<std::int64_t>(source->row(27, 1)), testing::ElementsAre(7));
}

TEST(SyntheticSourceTest, DescribesItsFields) {
  const auto source = make({.samples = 3, .shape = {4, 5, 3}, .dtype = DType::kF32});
  EXPECT_EQ(source->num_samples(), 3u);
  EXPECT_EQ(source->fields()[0].name, "image");
  EXPECT_EQ(source->fields()[0].shape, (Shape{4, 5, 3}));
  EXPECT_EQ(source->fields()[0].dtype, DType::kF32);
  EXPECT_EQ(source->fields()[1].name, "label");
  EXPECT_EQ(source->fields()[1].dtype, DType::kI64);
  EXPECT_EQ(source->row(2, 0).size(), 240u);
}

TEST(SyntheticSourceTest, SameSeedGivesSamePixels) {
  const SyntheticOptions options{.samples = 1, .shape = {70'000}, .seed = 5};
  EXPECT_TRUE(std::ranges::equal(make(options)->row(0, 0), make(options)->row(0, 0)));
  SyntheticOptions other = options;
  other.seed = 6;
  EXPECT_FALSE(std::ranges::equal(make(options)->row(0, 0), make(other)->row(0, 0)));
  EXPECT_NE(make(options)->fingerprint(), make(other)->fingerprint());
}

TEST(SyntheticSourceTest, FloatsLieBetweenZeroAndOne) {
  const auto source = make({.samples = 1, .shape = {1000}, .dtype = DType::kF32});
  for (const float value : values<float>(source->row(0, 0))) {
    EXPECT_GE(value, 0.0f);
    EXPECT_LT(value, 1.0f);
  }
}

TEST(SyntheticSourceTest, HalvesLieBetweenZeroAndOne) {
  const auto source = make({.samples = 1, .shape = {1000}, .dtype = DType::kF16});
  // In this range the bits of halves are in the order of their values; 0x3C00 is 1.
  for (const std::uint16_t bits : values<std::uint16_t>(source->row(0, 0))) EXPECT_LT(bits, 0x3C00);
}

TEST(SyntheticSourceTest, RefusesNoSamples) {
  EXPECT_EQ(make_synthetic_source({}).status().message(), "samples is 0, expected 1 or more");
}

TEST(SyntheticSourceTest, RefusesNoClasses) {
  EXPECT_EQ(make_synthetic_source({.samples = 1, .classes = 0}).status().message(),
            "classes is 0, expected 1 to 16777216");
}

TEST(SyntheticSourceTest, RefusesShapesWithoutElementsOrTooLarge) {
  EXPECT_EQ(make_synthetic_source({.samples = 1, .shape = {0, 3}}).status().message(),
            "shape is 0x3, expected sides of 1 or more and at most 67108864 elements");
  EXPECT_EQ(make_synthetic_source({.samples = 1, .shape = {1 << 20, 1 << 20}}).status().message(),
            "shape is 1048576x1048576, expected sides of 1 or more and at most 67108864 elements");
}

}  // namespace
}  // namespace penstock::source
