// Tidying up among the parts of a store.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "penstock/deliver/test_entry_point_store.h"

namespace penstock::deliver {
namespace {

// So many parts with a record each, keys from 0 on.
void write_parts(const Kept& kept, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i)
    learn(*kept.open({.tidies = false, .num_images = 100}), i, concat("record ", i));
}

TEST(EntryPointMergeTest, MergesManySmallParts) {
  const Kept kept;
  write_parts(kept, 33);
  learn(*kept.open({.tidies = false, .num_images = 100}), 3, "record 3, longer");
  EXPECT_EQ(kept.files("beside").size(), 34u);
  for (int round = 0; round < 2; ++round) {
    const auto store = kept.open();
    EXPECT_EQ(kept.files("beside").size(), 1u);
    EXPECT_EQ(store->stats().stored_bytes, std::filesystem::file_size(kept.files("beside")[0]));
    for (std::uint64_t i = 0; i < 33; ++i) {
      EXPECT_EQ(content(*store, i), i == 3 ? "record 3, longer" : concat("record ", i));
    }
  }
}

TEST(EntryPointMergeTest, LeavesAFewSmallPartsAsTheyAre) {
  const Kept kept;
  write_parts(kept, 32);
  kept.open();
  EXPECT_EQ(kept.files("beside").size(), 32u);
}

TEST(EntryPointMergeTest, MergesNothingIfItLearnsNothing) {
  const Kept kept;
  write_parts(kept, 33);
  kept.open({.learns = false});
  EXPECT_EQ(kept.files("beside").size(), 33u);
}

TEST(EntryPointMergeTest, AStoreThatReadsPartsBeingMergedLosesHintsOnly) {
  const Kept kept;
  write_parts(kept, 33);
  const auto reading = kept.open({.learns = false});
  kept.open();
  EXPECT_EQ(content(*reading, 5), "unread: no such file");
  reading->begin_epoch(0);
  reading->begin_epoch(1);
  EXPECT_EQ(content(*reading, 5), "record 5");
}

TEST(EntryPointMergeTest, RemovesLargePartsOfWhichNothingCounts) {
  const Kept kept;
  const auto record = [](int round) { return concat(round + 100, std::string(600 << 10, 'x')); };
  for (int round = 0; round < 35; ++round) {
    const auto store = kept.open({.tidies = false, .num_images = 100});
    for (const std::uint64_t key : {1, 2}) learn(*store, key, record(round));
  }
  EXPECT_EQ(kept.files("beside").size(), 35u);
  const auto store = kept.open();
  EXPECT_EQ(kept.files("beside").size(), 1u);
  EXPECT_EQ(content(*store, 1), record(34));
}

TEST(EntryPointMergeTest, MergingDropsARecordThatIsDamaged) {
  const Kept kept;
  write_parts(kept, 33);
  {
    std::fstream file(kept.files("beside")[4], std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(-1, std::ios::end);
    file << '?';
  }
  kept.open();
  const auto store = kept.open();
  EXPECT_EQ(content(*store, 4), "");
  EXPECT_EQ(content(*store, 5), "record 5");
}

TEST(EntryPointMergeTest, RemovesWhatAKilledProcessLeftYesterday) {
  const Kept kept;
  learn(*kept.open(), 7, "seven");
  kept.folder.write("beside/.1-2.part.abcdef", "half");
  kept.folder.write("beside/.1-3.part.abcdef", "half");
  std::filesystem::last_write_time(
      kept.folder.path("beside/.1-2.part.abcdef"),
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  kept.open();
  EXPECT_EQ(kept.files("beside").size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(kept.folder.path("beside/.1-2.part.abcdef")));
}

}  // namespace
}  // namespace penstock::deliver
