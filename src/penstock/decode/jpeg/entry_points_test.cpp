#include "penstock/decode/jpeg/entry_points.h"

#include <gtest/gtest.h>

#include <vector>

#include "penstock/decode/jpeg/test_reference.h"

namespace penstock::decode {
namespace {

Frame frame_of(Bytes image) { return *read_frame(image); }

// A file large enough for some points.
Encoded usual_file() { return encode_reference(busy_image({200, 160}, 3), {.quality = 95}); }

// Points that need not be true.
void add_points(EntryPoints& points, std::size_t num) {
  for (std::size_t i = 0; i < num; ++i) {
    const auto n = static_cast<std::int32_t>(points.size());
    points.add({static_cast<std::uint64_t>(n) * 100 + 3, {n, -n, 2047}});
  }
}

std::size_t num_places(const Frame& frame, Bytes image) {
  EntryPoints points(frame, image, {});
  while (points.can_grow()) add_points(points, 1);
  return points.size();
}

// --- The grid. ---

TEST(EntryGridTest, FilesWithRestartMarkersNeedNone) {
  Frame frame = frame_of(usual_file());
  frame.restart_interval = 4;
  EXPECT_EQ(EntryGrid::choose(frame, 1 << 20).column_step, 0);
}

TEST(EntryGridTest, SmallFilesHaveNone) {
  const Frame frame = frame_of(usual_file());
  EXPECT_EQ(EntryGrid::choose(frame, 0).column_step, 0);
  EXPECT_EQ(EntryGrid::choose(frame, 2000).column_step, 0);
}

TEST(EntryGridTest, PointsLieAtMostEightMcusApart) {
  const Frame frame = frame_of(usual_file());
  const EntryGrid grid = EntryGrid::choose(frame, 1 << 24);
  EXPECT_EQ(grid.column_step, 8);
  EXPECT_EQ(grid.row_step, 1);
}

TEST(EntryGridTest, ColumnsAreGivenUpBeforeRows) {
  const Frame frame = frame_of(usual_file());  // 25 x 20 MCUs
  const auto choose = [&](std::size_t file_bytes) {
    const EntryGrid grid = EntryGrid::choose(frame, file_bytes);
    return std::pair(grid.column_step, grid.row_step);
  };
  EXPECT_EQ(choose(46080), std::pair(8, 1));   // 80 points of 7 bytes, and 16
  EXPECT_EQ(choose(46000), std::pair(16, 1));  // 40
  EXPECT_EQ(choose(23000), std::pair(25, 1));  // 20
  EXPECT_EQ(choose(12000), std::pair(25, 2));  // 10
  EXPECT_EQ(choose(6000), std::pair(25, 4));   // 5
}

TEST(EntryGridTest, ARecordIsNeverLargerThanItsShareOfTheFile) {
  for (const ImageSize size : {ImageSize{8, 8}, {64, 64}, {400, 8}, {8, 400}, {300, 200}}) {
    for (const int quality : {10, 75, 100}) {
      for (const int channels : {1, 3}) {
        const Encoded image = encode_reference(busy_image(size, channels), {.quality = quality});
        const Frame frame = frame_of(image);
        EntryPoints points(frame, image, {});
        while (points.can_grow()) add_points(points, 1);
        if (points.size() == 0) continue;
        EXPECT_LE(points.encode(frame, image).size() * 1000, image.size() * 15);
      }
    }
  }
}

TEST(EntryGridTest, AHugeFileHasNoMoreThanCanBeCounted) {
  Frame frame = frame_of(usual_file());
  frame.size = {65000, 65000};
  for (auto& component : frame.components) component.columns = component.rows = 1;
  const EntryGrid grid = EntryGrid::choose(frame, std::size_t{1} << 40);
  const auto across = (frame.num_mcu_columns() + grid.column_step - 1) / grid.column_step;
  const auto down = (frame.num_mcu_rows() + grid.row_step - 1) / grid.row_step;
  EXPECT_LE(across * down, 65535);
}

// --- Places. ---

TEST(EntryPointsTest, PlacesFollowTheScan) {
  const Encoded image = usual_file();
  const Frame frame = frame_of(image);
  const EntryPoints points(frame, image, {});
  int before = -1;
  for (std::size_t i = 0; i < num_places(frame, image); ++i) {
    EXPECT_GT(points.mcu_of(i), before);
    before = points.mcu_of(i);
  }
  EXPECT_EQ(points.mcu_of(0), 0);
  EXPECT_EQ(points.mcu_of(num_places(frame, image)),
            frame.num_mcu_columns() * frame.num_mcu_rows());
}

TEST(EntryPointsTest, ThePlaceBeforeAnMcuIsTheLastThatIsNotBehindIt) {
  for (const int quality : {30, 60, 95, 100}) {
    const Encoded image = encode_reference(busy_image({300, 100}, 3), {.quality = quality});
    const Frame frame = frame_of(image);
    const EntryPoints points(frame, image, {});
    if (!points.can_grow()) continue;
    for (int mcu = 0; mcu < frame.num_mcu_columns() * frame.num_mcu_rows(); ++mcu) {
      const std::size_t place = points.place_before(mcu);
      EXPECT_LE(points.mcu_of(place), mcu);
      EXPECT_GT(points.mcu_of(place + 1), mcu);
    }
  }
}

// --- Adding. ---

TEST(EntryPointsTest, GrowUntilEveryPlaceHasOne) {
  const Encoded image = usual_file();
  const Frame frame = frame_of(image);
  EntryPoints points(frame, image, {});
  EXPECT_EQ(points.size(), 0u);
  EXPECT_TRUE(points.can_grow());
  add_points(points, num_places(frame, image));
  EXPECT_FALSE(points.can_grow());
}

TEST(EntryPointsTest, APointThatDoesNotFitTheFormatIsTheLast) {
  const Encoded image = usual_file();
  const Frame frame = frame_of(image);
  for (const EntryPoint& odd : {EntryPoint{1 << 20, {}}, EntryPoint{5, {2048, 0, 0}},
                                EntryPoint{5, {0, -2049, 0}}, EntryPoint{2, {}}}) {
    EntryPoints points(frame, image, {});
    points.add({3, {2047, -2048, 0}});
    points.add(odd.bit == 1 << 20 ? EntryPoint{odd.bit + 3, {}} : odd);
    EXPECT_EQ(points.size(), 1u);
    EXPECT_FALSE(points.can_grow());
  }
}

// --- As bytes. ---

struct Written {
  Encoded image = usual_file();
  Frame frame = frame_of(image);
  std::vector<std::byte> record;

  Written() {
    EntryPoints points(frame, image, {});
    add_points(points, 6);
    record = points.encode(frame, image);
  }
  std::size_t num_read(Bytes bytes) const { return EntryPoints(frame, image, bytes).size(); }
};

TEST(EntryPointsTest, ComeBackFromTheirBytes) {
  const Written written;
  const EntryPoints points(written.frame, written.image, written.record);
  ASSERT_EQ(points.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto n = static_cast<std::int32_t>(i);
    EXPECT_EQ(points[i].bit, i * 100 + 3);
    EXPECT_EQ(points[i].dc, (std::array<std::int32_t, 3>{n, -n, 2047}));
  }
  EXPECT_TRUE(points.can_grow());
}

TEST(EntryPointsTest, OfAGrayImageComeBackFromTheirBytes) {
  const Encoded image = encode_reference(busy_image({200, 160}, 1), {.quality = 95});
  const Frame frame = frame_of(image);
  EntryPoints points(frame, image, {});
  points.add({0, {}});
  points.add({77, {-2048, 0, 0}});
  const auto record = points.encode(frame, image);
  EXPECT_EQ(record.size(), 16u + 2 * 4);
  const EntryPoints again(frame, image, record);
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[1].bit, 77u);
  EXPECT_EQ(again[1].dc[0], -2048);
}

TEST(EntryPointsTest, TheBytesAreAsTheyWere) {
  const Written written;
  EXPECT_EQ(written.record.size(), 16u + 6 * 7);
  const EntryPoints points(written.frame, written.image, written.record);
  EXPECT_EQ(points.encode(written.frame, written.image), written.record);
}

TEST(EntryPointsTest, OfAnImageWithAnotherScanAreRefused) {
  Written written;
  written.image[written.frame.scan_begin + 3] ^= std::byte{1};
  EXPECT_EQ(written.num_read(written.record), 0u);
}

TEST(EntryPointsTest, OfAnImageWithAnotherHeaderAreRefused) {
  Written written;
  written.image[30] ^= std::byte{1};
  EXPECT_EQ(written.num_read(written.record), 0u);
}

TEST(EntryPointsTest, OfALongerFileAreRefused) {
  Written written;
  written.image.push_back(std::byte{0});
  EXPECT_EQ(written.num_read(written.record), 0u);
}

TEST(EntryPointsTest, ThatAreCutAreRefused) {
  const Written written;
  for (std::size_t size = 0; size < written.record.size(); ++size) {
    EXPECT_EQ(written.num_read(Bytes(written.record).first(size)), 0u) << size;
  }
  std::vector<std::byte> longer = written.record;
  longer.push_back(std::byte{0});
  EXPECT_EQ(written.num_read(longer), 0u);
}

TEST(EntryPointsTest, WithAnyBitFlippedAreRefused) {
  const Written written;
  for (std::size_t bit = 0; bit < written.record.size() * 8; ++bit) {
    std::vector<std::byte> damaged = written.record;
    damaged[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_EQ(written.num_read(damaged), 0u) << bit;
  }
}

}  // namespace
}  // namespace penstock::decode
