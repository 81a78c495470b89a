#include "penstock/decode/png/unfilter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "penstock/decode/png/test_png.h"

namespace penstock::decode {
namespace {

// As the PNG specification has it, section 9.4.
int paeth(int left, int above, int corner) {
  const int estimate = left + above - corner;
  const int by_left = std::abs(estimate - left), by_above = std::abs(estimate - above);
  const int by_corner = std::abs(estimate - corner);
  if (by_left <= by_above && by_left <= by_corner) return left;
  return by_above <= by_corner ? above : corner;
}

Values unfiltered(PngFilter filter, Values row, const Values& above, std::size_t pixel_bytes) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const int left = i < pixel_bytes ? 0 : row[i - pixel_bytes];
    const int corner = i < pixel_bytes ? 0 : above[i - pixel_bytes];
    const int predicted[] = {0, left, above[i], (left + above[i]) / 2,
                             paeth(left, above[i], corner)};
    row[i] = static_cast<std::uint8_t>(row[i] + predicted[static_cast<int>(filter)]);
  }
  return row;
}

Values random_values(std::size_t size, Rng& rng) {
  Values values(size);
  // Few values give equal distances, which the order of the comparisons decides.
  const unsigned num_values = rng.below(2) == 0 ? 4 : 256;
  for (auto& value : values) value = static_cast<std::uint8_t>(rng.below(num_values));
  return values;
}

// Runs the filter on memory of just the size it may touch, and checks what lies behind the row.
Values run(UnfilterRow unfilter, const Values& row, const Values& above) {
  constexpr std::uint8_t kGuard = 0xA5;
  const std::size_t size = row.size();
  const auto in = std::make_unique<std::uint8_t[]>(size + kUnfilterSlackBytes);
  const auto before = std::make_unique<std::uint8_t[]>(size + kUnfilterSlackBytes);
  std::fill_n(in.get(), size + kUnfilterSlackBytes, kGuard);
  std::copy(row.begin(), row.end(), in.get());
  std::copy(above.begin(), above.end(), before.get());
  unfilter(in.get(), before.get(), size);
  for (std::size_t i = 0; i < kUnfilterSlackBytes; ++i) EXPECT_EQ(in[size + i], kGuard);
  return {in.get(), in.get() + size};
}

TEST(UnfilterTest, AgreesWithTheSpecificationForAllWidths) {
  for (const std::size_t pixel_bytes : {1, 2, 3, 4, 6, 8}) {
    for (std::size_t width = 1; width <= 70; ++width) {
      Rng rng({.seed = pixel_bytes, .sample = width});
      const Values row = random_values(width * pixel_bytes, rng);
      const Values above = random_values(width * pixel_bytes, rng);
      for_each_instruction_set([&] {
        const Unfilters unfilters = choose_unfilters(static_cast<int>(pixel_bytes));
        for (std::size_t i = 0; i < unfilters.size(); ++i) {
          const Values expected = unfiltered(static_cast<PngFilter>(i), row, above, pixel_bytes);
          ASSERT_EQ(run(unfilters[i], row, above), expected)
              << "filter " << i << ", " << width << " pixels of " << pixel_bytes << " bytes";
        }
      });
    }
  }
}

// Left, above and corner from a grid with every order and every equality; the filtered byte is 7.
TEST(UnfilterTest, PaethBreaksTiesAsSpecified) {
  const int grid[] = {0, 1, 2, 3, 84, 85, 86, 127, 128, 129, 170, 171, 253, 254, 255};
  for_each_instruction_set([&] {
    const Unfilters unfilters = choose_unfilters(1);
    const UnfilterRow unfilter = unfilters[static_cast<std::size_t>(PngFilter::kPaeth)];
    for (const int left : grid) {
      for (const int above : grid) {
        for (const int corner : grid) {
          // The first byte is predicted by the corner, as nothing is left of it.
          const Values row = {static_cast<std::uint8_t>(left - corner), 7};
          const Values before = {static_cast<std::uint8_t>(corner),
                                 static_cast<std::uint8_t>(above)};
          ASSERT_EQ(run(unfilter, row, before)[1],
                    static_cast<std::uint8_t>(7 + paeth(left, above, corner)))
              << left << " " << above << " " << corner;
        }
      }
    }
  });
}

TEST(UnfilterTest, OnlyTheLastThreeFiltersNeedTheRowAbove) {
  EXPECT_FALSE(needs_row_above(PngFilter::kNone));
  EXPECT_FALSE(needs_row_above(PngFilter::kSub));
  EXPECT_TRUE(needs_row_above(PngFilter::kUp));
  EXPECT_TRUE(needs_row_above(PngFilter::kAverage));
  EXPECT_TRUE(needs_row_above(PngFilter::kPaeth));
}

}  // namespace
}  // namespace penstock::decode
