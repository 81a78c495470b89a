#include "penstock/transform/render.h"

#include <gmock/gmock.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <span>
#include <string>

#include "penstock/transform/reference_render.h"
#include "penstock/transform/testing.h"

namespace penstock::transform {
namespace {

// --- Running the kernel. ---

double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

double element(const std::byte* at, DType dtype) {
  std::uint16_t half = 0;
  std::memcpy(&half, at, dtype == DType::kU8 ? 1 : 2);
  if (dtype == DType::kU8) return half;
  if (dtype == DType::kF16) return half_to_double(half);
  if (dtype == DType::kBF16) return std::bit_cast<float>(std::uint32_t{half} << 16);
  float value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// What render() writes, as CHW doubles. `out` lies between guards that must stay as they are.
std::vector<double> rendered(const ImagePart& part, const Geometry& geometry, const Colour& colour,
                             const PixelFormat& format, RenderScratch& scratch) {
  constexpr std::size_t kGuard = 64;
  constexpr std::byte kGuardByte{0xA5};
  const ImageSize size = geometry.output_size();
  const std::size_t num_bytes = output_bytes(size, format);
  std::vector<std::byte> out(num_bytes + 2 * kGuard, kGuardByte);
  render(part, geometry, colour, format, scratch, std::span(out).subspan(kGuard, num_bytes));
  const auto is_guard = [&](std::byte value) { return value == kGuardByte; };
  EXPECT_TRUE(std::all_of(out.begin(), out.begin() + kGuard, is_guard));
  EXPECT_TRUE(std::all_of(out.end() - kGuard, out.end(), is_guard));
  const auto width = static_cast<std::size_t>(size.width);
  const auto height = static_cast<std::size_t>(size.height);
  const auto channels = static_cast<std::size_t>(format.channels);
  std::vector<double> values(width * height * channels);
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t i = 0; i < width * height; ++i) {
      const std::size_t planar = c * width * height + i;
      const std::size_t at = format.layout == Layout::kCHW ? planar : i * channels + c;
      values[planar] = element(out.data() + kGuard + at * size_bytes(format.dtype), format.dtype);
    }
  }
  return values;
}

// Runs `body` once for each instruction set that the CPU has.
void for_each_instruction_set(const std::function<void()>& body) {
  const std::int64_t supported = hwy::SupportedTargets();
  for (std::int64_t rest = supported; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::GetChosenTarget().Update(target);
    body();
  }
  hwy::GetChosenTarget().Update(supported);
}

// How far a value may lie from the exact one, in units of what is stored.
double tolerance(const PixelFormat& format, const Colour& colour) {
  constexpr double kLevels = 0.3;  // of 255: fixed-point weights and sums
  double gain = 0;
  for (const auto& row : colour.matrix) {
    gain = std::max(gain, std::abs(row[0]) + std::abs(row[1]) + std::abs(row[2]));
  }
  if (format.dtype == DType::kU8) return kLevels * gain + 0.501;
  const double unit = 255 * (colour.is_normalized ? 0.2 : 1);
  const double precision = format.dtype == DType::kBF16  ? 0.012
                           : format.dtype == DType::kF16 ? 0.002
                                                         : 0;
  return kLevels * gain / unit + precision;
}

void expect_like_reference(const ImagePart& part, const Geometry& geometry, const Colour& colour,
                           const PixelFormat& format, RenderScratch& scratch) {
  const std::vector<double> expected = reference(part, geometry, colour, format);
  for_each_instruction_set([&] {
    const std::vector<double> actual = rendered(part, geometry, colour, format, scratch);
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      worst = std::max(worst, std::abs(expected[i] - actual[i]));
    }
    EXPECT_LE(worst, tolerance(format, colour));
  });
}

// --- What is rendered. ---

const DType kTypes[] = {DType::kU8, DType::kF16, DType::kBF16, DType::kF32};
const Filter kFilters[] = {Filter::kNearest, Filter::kBilinear, Filter::kBicubic};

int between(Rng& rng, int low, int high) {
  return low + static_cast<int>(rng.below(static_cast<std::uint32_t>(high - low + 1)));
}

Geometry random_step(ImageSize size, Rng& rng) {
  switch (rng.below(4)) {
    case 0:
      return mirrored(size);
    case 1: {
      const int width = between(rng, 1, size.width), height = between(rng, 1, size.height);
      return cropped(size, {between(rng, 0, size.width - width),
                            between(rng, 0, size.height - height), width, height});
    }
    case 2:
      return padded(
          size, {between(rng, 0, 4), between(rng, 0, 4), between(rng, 0, 4), between(rng, 0, 4)},
          {10, 200, 90});
    default:
      return resized(size, {between(rng, 1, 40), between(rng, 1, 40)}, kFilters[rng.below(3)]);
  }
}

Geometry random_geometry(ImageSize size, Rng& rng) {
  Geometry geometry = unchanged(size);
  for (int steps = between(rng, 1, 5); steps > 0; --steps) {
    geometry = compose(geometry, random_step(geometry.output_size(), rng));
  }
  return geometry;
}

Colour random_colour(Rng& rng, DType dtype) {
  Colour colour;
  if (rng.below(2) == 0) {
    colour = compose(brightened(rng.uniform(0.5, 1.5)), saturated(rng.uniform(0.5, 1.5)));
  }
  if (dtype != DType::kU8 && rng.below(2) == 0) {
    colour = compose(
        colour,
        {.is_normalized = true, .mean = {0.485, 0.456, 0.406}, .deviation = {0.229, 0.224, 0.225}});
  }
  return colour;
}

TEST(RenderTest, AgreesWithTheReferenceForRandomGeometries) {
  RenderScratch scratch;
  for (std::uint64_t sample = 0; sample < 150; ++sample) {
    SCOPED_TRACE(sample);
    Rng rng({.seed = 1, .sample = sample});
    const PixelFormat format{kTypes[rng.below(4)], rng.below(2) == 0 ? Layout::kCHW : Layout::kHWC,
                             rng.below(4) == 0 ? 1 : 3};
    const TestImage in = noise({between(rng, 1, 40), between(rng, 1, 40)}, format.channels, sample);
    const Geometry geometry = random_geometry(in.size(), rng);
    expect_like_reference({.pixels = in.view(), .full_size = in.size()}, geometry,
                          random_colour(rng, format.dtype), format, scratch);
  }
}

TEST(RenderTest, MirrorsAnImageThatIsSmallerThanTheFilter) {
  RenderScratch scratch;
  const TestImage in = noise({2, 3}, 3);
  const Geometry geometry =
      compose(compose(resized(in.size(), {20, 20}, Filter::kBilinear), mirrored({20, 20})),
              cropped({20, 20}, {7, 0, 10, 20}));
  expect_like_reference({.pixels = in.view(), .full_size = in.size()}, geometry, {},
                        {DType::kF32, Layout::kCHW, 3}, scratch);
}

// What a decoder answers to `request`, `whole` being the image with so many eighths; `cut` owns the
// pixels.
ImagePart cut_part(const TestImage& whole, ImageSize full, const ImageRequest& request,
                   TestImage& cut) {
  const int eighths = request.min_eighths;
  const Rect& region = request.region;
  const int left = region.x * eighths / 8, top = region.y * eighths / 8;
  cut = {.width = ((region.x + region.width) * eighths + 7) / 8 - left,
         .height = ((region.y + region.height) * eighths + 7) / 8 - top,
         .channels = 3};
  for (int y = 0; y < cut.height; ++y) {
    const std::uint8_t* row = whole.view().row(top + y) + 3 * left;
    cut.pixels.insert(cut.pixels.end(), row, row + 3 * cut.width);
  }
  return {cut.view(), full, static_cast<double>(left), static_cast<double>(top), eighths};
}

TEST(RenderTest, NeedsNoMoreThanThePartItAskedFor) {
  RenderScratch scratch;
  for (std::uint64_t sample = 0; sample < 60; ++sample) {
    SCOPED_TRACE(sample);
    Rng rng({.seed = 2, .sample = sample});
    const TestImage in = noise({between(rng, 1, 40), between(rng, 1, 40)}, 3, sample);
    const Geometry geometry = random_geometry(in.size(), rng);
    TestImage cut;
    const ImagePart part = cut_part(in, in.size(), {.region = needed_part(geometry).region}, cut);
    const PixelFormat format{DType::kU8, Layout::kCHW, 3};
    EXPECT_EQ(
        rendered(part, geometry, {}, format, scratch),
        rendered({.pixels = in.view(), .full_size = in.size()}, geometry, {}, format, scratch));
  }
}

TEST(RenderTest, NeedsNoMoreThanThePartItAskedForOfASmallerImage) {
  RenderScratch scratch;
  std::array<int, 9> num_seen{};
  for (std::uint64_t sample = 0; sample < 200; ++sample) {
    SCOPED_TRACE(sample);
    Rng rng({.seed = 3, .sample = sample});
    const ImageSize full{between(rng, 60, 150), between(rng, 60, 150)};
    const Rect window{between(rng, 0, 20), between(rng, 0, 20), between(rng, 20, 40),
                      between(rng, 20, 40)};
    const ImageSize size{between(rng, 1, 14), between(rng, 1, 14)};
    const Filter filter = sample % 2 == 0 ? Filter::kBilinear : Filter::kBicubic;
    const Geometry geometry =
        sample % 3 == 0
            ? compose(resized(full, size, filter), cropped(size, {0, 0, 1, 1}))
            : compose(cropped(full, window), resized({window.width, window.height}, size, filter));
    const ImageRequest request = needed_part(geometry);
    const int eighths = request.min_eighths;
    ++num_seen[static_cast<std::size_t>(eighths)];
    const TestImage in =
        noise({(full.width * eighths + 7) / 8, (full.height * eighths + 7) / 8}, 3, sample);
    TestImage cut;
    const ImagePart part = cut_part(in, full, request, cut);
    const ImagePart whole{.pixels = in.view(), .full_size = full, .eighths = eighths};
    const PixelFormat format{DType::kF32, Layout::kCHW, 3};
    EXPECT_EQ(rendered(part, geometry, {}, format, scratch),
              rendered(whole, geometry, {}, format, scratch));
  }
  EXPECT_THAT(std::span(num_seen).subspan(1), testing::Each(testing::Ge(5)));
}

TEST(RenderTest, TakesShrunkPartsForWhatTheyStandFor) {
  RenderScratch scratch;
  for (const int eighths : {7, 6, 5, 4, 3, 2, 1}) {
    SCOPED_TRACE(eighths);
    const ImageSize full{157, 131};
    const TestImage in =
        noise({((full.width - 16) * eighths + 7) / 8, ((full.height - 8) * eighths + 7) / 8}, 3);
    const ImagePart part{.pixels = in.view(),
                         .full_size = full,
                         .origin_x = 2.0 * eighths,
                         .origin_y = 1.0 * eighths,
                         .eighths = eighths};
    const Geometry geometry = compose(
        compose(cropped(full, {19, 11, 138, 120}), resized({138, 120}, {7, 6}, Filter::kBilinear)),
        mirrored({7, 6}));
    expect_like_reference(part, geometry, {}, {DType::kF32, Layout::kHWC, 3}, scratch);
  }
}

// As of images that were mirrored: the pixels that the edge cuts off are the first ones.
TEST(RenderTest, TakesPartsThatBeginWithAFractionOfAPixel) {
  RenderScratch scratch;
  for (int eighths = 1; eighths < 8; ++eighths) {
    SCOPED_TRACE(eighths);
    const ImageSize full{157, 131};
    const TestImage in =
        noise({(full.width * eighths + 7) / 8, (full.height * eighths + 7) / 8}, 3);
    const ImagePart part{.pixels = in.view(),
                         .full_size = full,
                         .origin_x = full.width * eighths / 8.0 - in.width,
                         .origin_y = full.height * eighths / 8.0 - in.height,
                         .eighths = eighths};
    expect_like_reference(part, resized(full, {7, 6}, Filter::kBilinear), {},
                          {DType::kF32, Layout::kHWC, 3}, scratch);
  }
}

TEST(RenderTest, KeepsAConstantImageConstant) {
  RenderScratch scratch;
  const TestImage in{.width = 37,
                     .height = 61,
                     .channels = 3,
                     .pixels = std::vector<std::uint8_t>(37 * 61 * 3, 201)};
  for (const Filter filter : kFilters) {
    for (const int side : {1, 2, 7, 30, 64, 90}) {
      const auto values = rendered({.pixels = in.view(), .full_size = in.size()},
                                   resized(in.size(), {side, side}, filter), {},
                                   {DType::kU8, Layout::kHWC, 3}, scratch);
      EXPECT_EQ(std::ranges::count(values, 201), static_cast<std::ptrdiff_t>(values.size()))
          << side;
    }
  }
}

TEST(RenderTest, ReducesVeryLargeImages) {
  RenderScratch scratch;
  for (const int channels : {1, 3}) {
    const TestImage in = noise({150, 190}, channels);
    expect_like_reference({.pixels = in.view(), .full_size = in.size()},
                          resized(in.size(), {2, 3}, Filter::kBilinear), {},
                          {DType::kF32, Layout::kCHW, channels}, scratch);
  }
}

// Widths around every vector length, rows apart by an odd stride, memory that ends with the last
// pixel: a sanitizer sees each read beyond it.
TEST(RenderTest, ReadsAndWritesOnlyWhatItMay) {
  RenderScratch scratch;
  for (int width = 1; width <= 70; ++width) {
    for (const int channels : {1, 3}) {
      const std::size_t stride = static_cast<std::size_t>(width * channels) + 5;
      const auto exact_size = 2 * stride + static_cast<std::size_t>(width * channels);
      const auto pixels = std::make_unique<std::uint8_t[]>(exact_size);
      const ImagePart part{.pixels = {pixels.get(), width, 3, channels, stride},
                           .full_size = {width, 3}};
      const ImageSize size{width, 3};
      for (const DType dtype : kTypes) {
        for (const Layout layout : {Layout::kCHW, Layout::kHWC}) {
          for (const Geometry& geometry :
               {unchanged(size), mirrored(size), resized(size, {width, 2}, Filter::kBilinear),
                resized(size, {71 - width, 5}, Filter::kBilinear)}) {
            rendered(part, geometry, {}, {dtype, layout, channels}, scratch);
          }
        }
      }
    }
  }
}

TEST(RenderTest, CopiesBytesExactly) {
  RenderScratch scratch;
  const TestImage in = noise({100, 90}, 3);
  const auto values = rendered({.pixels = in.view(), .full_size = in.size()}, unchanged(in.size()),
                               {}, {DType::kU8, Layout::kHWC, 3}, scratch);
  for (std::size_t i = 0; i < 9000; ++i) {
    for (std::size_t c = 0; c < 3; ++c) ASSERT_EQ(values[c * 9000 + i], in.pixels[i * 3 + c]);
  }
}

TEST(RenderTest, FloatsWithoutNormalizationAreFractions) {
  RenderScratch scratch;
  const TestImage in = image({{0, 51, 255}});
  EXPECT_THAT(rendered({.pixels = in.view(), .full_size = in.size()}, unchanged(in.size()), {},
                       {DType::kF32, Layout::kHWC, 1}, scratch),
              testing::Pointwise(testing::DoubleNear(1e-7), {0.0, 0.2, 1.0}));
}

TEST(RenderTest, RoundsBrainFloatsToEven) {
  RenderScratch scratch;
  // As f32 these are 0x3b808081 and 0x3c40c0c1; both lie above the middle.
  const TestImage in = image({{1, 3}});
  EXPECT_THAT(
      rendered({.pixels = in.view(), .full_size = in.size()}, unchanged(in.size()), {},
               {DType::kBF16, Layout::kHWC, 1}, scratch),
      testing::ElementsAre(std::bit_cast<float>(0x3b810000u), std::bit_cast<float>(0x3c410000u)));
}

TEST(RenderTest, RemembersNothingOfTheImageBefore) {
  RenderScratch used;
  const TestImage first = noise({33, 29}, 3, 1), second = noise({18, 40}, 1, 2);
  const Geometry geometry = resized(second.size(), {21, 22}, Filter::kBicubic);
  const PixelFormat format{DType::kF32, Layout::kCHW, 1};
  rendered({.pixels = first.view(), .full_size = first.size()},
           resized(first.size(), {50, 60}, Filter::kBilinear), {}, {DType::kU8, Layout::kHWC, 3},
           used);
  RenderScratch fresh;
  const ImagePart part{.pixels = second.view(), .full_size = second.size()};
  EXPECT_EQ(rendered(part, geometry, {}, format, used),
            rendered(part, geometry, {}, format, fresh));
}

TEST(RenderScratchTest, TellsWhatItHolds) {
  RenderScratch scratch;
  EXPECT_EQ(scratch.size_bytes(), 0u);
  const TestImage in = noise({33, 29}, 3);
  rendered({.pixels = in.view(), .full_size = in.size()},
           resized(in.size(), {50, 60}, Filter::kBilinear), {}, {}, scratch);
  EXPECT_GT(scratch.size_bytes(), 1000u);
  const RenderScratch moved = std::move(scratch);
  EXPECT_GT(moved.size_bytes(), 1000u);
}

}  // namespace
}  // namespace penstock::transform
