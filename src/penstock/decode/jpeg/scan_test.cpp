#include "penstock/decode/jpeg/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "penstock/decode/jpeg/test_reference.h"

namespace penstock::decode {
namespace {

struct Sampling {
  int columns = 1;
  int rows = 1;
};

// Windows of one file, by our own decoder alone.
class ScanTest : public testing::TestWithParam<Sampling> {
 protected:
  void open(const Encoded& bytes) {
    image_ = bytes;
    frame_ = *read_frame(image_);
    expected_ = reference_planes(image_);
  }
  void open(ImageSize size, int quality, int restart_interval) {
    open(encode_reference(busy_image(size, 3), {.quality = quality,
                                                .columns = GetParam().columns,
                                                .rows = GetParam().rows,
                                                .restart_interval = restart_interval}));
  }

  McuWindow whole_window() const { return {0, frame_.num_mcu_columns(), 0, frame_.num_mcu_rows()}; }

  McuWindow random_window(Rng& rng) const {
    const Rect rect = random_region({frame_.num_mcu_columns(), frame_.num_mcu_rows()}, rng);
    return {rect.x, rect.x + rect.width, rect.y, rect.y + rect.height};
  }

  // "" if the window was decoded to the samples of libjpeg-turbo.
  std::string decode(const McuWindow& window, EntryPoints& points, bool learns,
                     bool reads_to_end = false) {
    ScanRequest request{.window = window, .reads_to_end = reads_to_end};
    std::array<std::vector<std::uint8_t>, 3> samples;
    const auto num = static_cast<std::size_t>(frame_.num_components);
    for (std::size_t c = 0; c < num; ++c) {
      const Pixels part = part_of(window, c);
      const auto stride = static_cast<std::size_t>(part.width) + kPlaneSlack;
      samples[c].assign(stride * static_cast<std::size_t>(part.height), 0x5a);
      request.planes[c] = {samples[c].data(), stride};
    }
    if (!decode_scan(frame_, image_, request, points, learns, scratch_)) return "refused";
    for (std::size_t c = 0; c < num; ++c) {
      const Pixels part = part_of(window, c);
      for (int y = 0; y < part.height; ++y) {
        for (int x = 0; x < part.width; ++x) {
          const int px = left(window, c) + x, py = top(window, c) + y;
          // Blocks that only complete an MCU are of no meaning.
          if (px >= expected_[c].width || py >= expected_[c].height) continue;
          const int got = samples[c][static_cast<std::size_t>(y) * request.planes[c].stride +
                                     static_cast<std::size_t>(x)];
          const int want = expected_[c].view().row(py)[px];
          if (got != want) return concat(px, ",", py, " of plane ", c, ": ", got, " for ", want);
        }
      }
    }
    return "";
  }

  std::string decode(const McuWindow& window) {
    EntryPoints none(frame_, image_, {});
    return decode(window, none, false);
  }

  std::vector<std::byte> learnt_at_once() {
    EntryPoints points(frame_, image_, {});
    EXPECT_EQ(decode(whole_window(), points, true), "");
    return points.encode(frame_, image_);
  }

  Encoded image_;
  Frame frame_;
  std::vector<Pixels> expected_;
  ScanScratch scratch_;

 private:
  int left(const McuWindow& window, std::size_t c) const {
    return window.left * frame_.components[c].columns * kBlockSide;
  }
  int top(const McuWindow& window, std::size_t c) const {
    return window.top * frame_.components[c].rows * kBlockSide;
  }
  Pixels part_of(const McuWindow& window, std::size_t c) const {
    return {(window.right - window.left) * frame_.components[c].columns * kBlockSide,
            (window.bottom - window.top) * frame_.components[c].rows * kBlockSide,
            1,
            {}};
  }
};

TEST_P(ScanTest, WindowsHaveTheSamplesOfTheWhole) {
  open({200, 120}, 80, 0);
  EXPECT_EQ(decode(whole_window()), "");
  Rng rng({.seed = 1});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(decode(random_window(rng)), "");
}

TEST_P(ScanTest, WindowsBehindRestartMarkersHaveTheSamplesOfTheWhole) {
  for (const int interval : {1, 2, 7, 13, 1000}) {
    open({120, 90}, 80, interval);
    EXPECT_EQ(decode(whole_window()), "");
    Rng rng({.seed = 2});
    for (int i = 0; i < 10; ++i) EXPECT_EQ(decode(random_window(rng)), "");
  }
}

TEST_P(ScanTest, EveryWindowOfOneMcuIsReachedFromEntryPoints) {
  open({200, 120}, 95, 0);
  const auto record = learnt_at_once();
  EntryPoints points(frame_, image_, record);
  ASSERT_GT(points.size(), 1u);
  for (int y = 0; y < frame_.num_mcu_rows(); ++y) {
    for (int x = 0; x < frame_.num_mcu_columns(); ++x) {
      EXPECT_EQ(decode({x, x + 1, y, y + 1}, points, false), "") << x << "," << y;
    }
  }
}

// A window that ends at an entry point needs all bits before it, also if they lie in a stuffed
// byte.
TEST_P(ScanTest, EveryRunUpToAnEntryPointIsReached) {
  for (const int quality : {95, 100}) {
    open({320, 120}, quality, 0);
    const auto record = learnt_at_once();
    EntryPoints points(frame_, image_, record);
    ASSERT_GT(points.size(), 1u);
    const int columns = frame_.num_mcu_columns();
    for (std::size_t i = 1; i < points.size(); ++i) {
      const int last = points.mcu_of(i) - 1;
      const int x = last % columns, y = last / columns;
      EXPECT_EQ(decode({x, x + 1, y, y + 1}, points, false), "") << i << " at " << quality;
    }
  }
}

TEST_P(ScanTest, WindowsAreReachedFromEntryPoints) {
  open({320, 120}, 97, 0);
  const auto record = learnt_at_once();
  EntryPoints points(frame_, image_, record);
  Rng rng({.seed = 3});
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(decode(random_window(rng), points, false, i % 2 == 0), "");
  }
}

TEST_P(ScanTest, LearningInPartsEqualsLearningAtOnce) {
  open({200, 120}, 95, 0);
  const auto expected = learnt_at_once();
  Rng rng({.seed = 4});
  for (int round = 0; round < 5; ++round) {
    std::vector<std::byte> record;
    for (int i = 0; i < 8; ++i) {
      EntryPoints points(frame_, image_, record);
      const std::size_t num_known = points.size();
      EXPECT_EQ(decode(i == 7 ? whole_window() : random_window(rng), points, true), "");
      EXPECT_GE(points.size(), num_known);
      record = points.encode(frame_, image_);
    }
    EXPECT_EQ(record, expected) << round;
  }
}

TEST_P(ScanTest, AWindowLearnsUpToItsEnd) {
  open({200, 120}, 95, 0);
  EntryPoints points(frame_, image_, {});
  const McuWindow window{0, 1, 1, 2};
  EXPECT_EQ(decode(window, points, true), "");
  const int end = frame_.num_mcu_columns() + 1;
  ASSERT_GT(points.size(), 0u);
  EXPECT_LT(points.mcu_of(points.size() - 1), end);
  EXPECT_GE(points.mcu_of(points.size()), end);
}

TEST_P(ScanTest, NothingIsLearntUnlessAsked) {
  open({200, 120}, 95, 0);
  EntryPoints points(frame_, image_, {});
  EXPECT_EQ(decode(whole_window(), points, false), "");
  EXPECT_EQ(points.size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Samplings, ScanTest,
                         testing::Values(Sampling{1, 1}, Sampling{2, 1}, Sampling{2, 2},
                                         Sampling{1, 2}, Sampling{4, 1}));

using OneScanTest = ScanTest;
INSTANTIATE_TEST_SUITE_P(Plain, OneScanTest, testing::Values(Sampling{1, 1}));

TEST_P(OneScanTest, AnUnwantedComponentIsPassedOver) {
  open({40, 40}, 90, 0);
  std::vector<std::uint8_t> luma((40 + kPlaneSlack) * 40);
  ScanRequest request{.window = whole_window()};
  request.planes[0] = {luma.data(), 40 + kPlaneSlack};
  EntryPoints none(frame_, image_, {});
  ASSERT_TRUE(decode_scan(frame_, image_, request, none, false, scratch_));
  EXPECT_TRUE(std::equal(luma.begin(), luma.begin() + 40, expected_[0].values.begin()));
}

TEST_P(OneScanTest, RestartMarkersLetItJumpOverDamage) {
  open({80, 80}, 90, 10);
  // All bytes of the second row but its marker.
  const std::array marker = {std::byte{0xff}, std::byte{0xd0}};
  const auto place = std::search(image_.begin(), image_.end(), marker.begin(), marker.end());
  *(place + 2) = std::byte{0xff};
  *(place + 3) = std::byte{0};
  EXPECT_EQ(decode({0, 10, 0, 1}), "");
  EXPECT_EQ(decode({0, 10, 2, 10}), "");
}

TEST_P(OneScanTest, AWrongRestartMarkerIsRefused) {
  open({80, 80}, 90, 10);
  const std::array marker = {std::byte{0xff}, std::byte{0xd1}};
  const auto place = std::search(image_.begin(), image_.end(), marker.begin(), marker.end());
  *(place + 1) = std::byte{0xd2};
  EXPECT_EQ(decode({0, 10, 0, 2}), "");
  EXPECT_EQ(decode({0, 10, 0, 3}), "refused");
  EXPECT_EQ(decode({0, 10, 5, 6}), "refused");
}

TEST_P(OneScanTest, BytesThatNoMcuNeedsAreSeenIfItReadsToTheEnd) {
  open({80, 80}, 90, 0);
  image_.resize(image_.size() - 2);
  EntryPoints none(frame_, image_, {});
  EXPECT_EQ(decode({0, 1, 0, 1}, none, false, true), "");
  image_.push_back(std::byte{0});
  EXPECT_EQ(decode({0, 1, 0, 1}, none, false, true), "refused");
  EXPECT_EQ(decode({0, 1, 0, 1}, none, false, false), "");
}

TEST_P(OneScanTest, ACutIsSeenIfItReadsToTheEnd) {
  open({80, 80}, 90, 0);
  image_.resize(image_.size() - 10);
  EntryPoints none(frame_, image_, {});
  EXPECT_EQ(decode({0, 1, 0, 1}, none, false, true), "refused");
  EXPECT_EQ(decode({0, 1, 0, 1}, none, false, false), "");
}

TEST_P(OneScanTest, ScratchOfARefusedScanCanBeUsedAgain) {
  open({80, 80}, 90, 0);
  const Encoded good = image_;
  for (std::size_t place = frame_.scan_begin; place < good.size(); place += 211) {
    image_ = good;
    image_[place] ^= std::byte{0x3c};
    (void)decode(whole_window());
    image_ = good;
    ASSERT_EQ(decode(whole_window()), "") << place;
  }
}

}  // namespace
}  // namespace penstock::decode
