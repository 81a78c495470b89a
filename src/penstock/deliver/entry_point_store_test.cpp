#include "penstock/deliver/entry_point_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "penstock/base/hash.h"
#include "penstock/deliver/test_entry_point_store.h"

namespace penstock::deliver {
namespace {

TEST(EntryPointStoreTest, FindsWhatWasLearntOnceItIsWritten) {
  const Kept kept;
  const auto store = kept.open();
  EXPECT_EQ(content(*store, 7), "");
  learn(*store, 7, "seven");
  learn(*store, 8, "eight");
  store->flush();
  EXPECT_EQ(content(*store, 7), "seven");
  EXPECT_EQ(content(*store, 8), "eight");
  EXPECT_EQ(kept.files("beside").size(), 1u);
  EXPECT_EQ(kept.files("cache").size(), 0u);
  const EntryPointStats stats = store->stats();
  EXPECT_EQ(stats.learnt, 2u);
  EXPECT_EQ(stats.extended, 0u);
  EXPECT_EQ(stats.stored_bytes, 24u + 2 * (12 + 4 + 5));
  EXPECT_EQ(stats.problem, "");
}

TEST(EntryPointStoreTest, TheNextStoreFindsWhatOneLeft) {
  const Kept kept;
  learn(*kept.open(), 7, "seven");
  EXPECT_EQ(content(*kept.open(), 7), "seven");
  EXPECT_EQ(content(*kept.open({.learns = false}), 7), "seven");
}

TEST(EntryPointStoreTest, WritesNothingIfNothingIsLearnt) {
  const Kept kept;
  kept.open()->flush();
  EXPECT_FALSE(std::filesystem::exists(kept.folder.path("beside")));
}

TEST(EntryPointStoreTest, LearnsNothingIfItIsNotTo) {
  const Kept kept;
  const auto store = kept.open({.learns = false});
  EXPECT_FALSE(store->learns());
  learn(*store, 7, "seven");
  store->flush();
  EXPECT_EQ(content(*store, 7), "");
}

TEST(EntryPointStoreTest, TheLongerRecordWinsWhicheverPartItIsIn) {
  const Kept kept;
  const auto first = kept.open();
  const auto second = kept.open();
  learn(*first, 7, "a long one");
  first->flush();
  learn(*second, 7, "short");
  second->flush();
  EXPECT_EQ(content(*second, 7), "short");
  EXPECT_EQ(content(*kept.open(), 7), "a long one");
}

TEST(EntryPointStoreTest, CountsWhatWasExtended) {
  const Kept kept;
  const auto store = kept.open();
  learn(*store, 7, "seven");
  store->flush();
  learn(*store, 7, "six");
  learn(*store, 7, "seven and more");
  store->flush();
  EXPECT_EQ(content(*store, 7), "seven and more");
  EXPECT_EQ(store->stats().learnt, 1u);
  EXPECT_EQ(store->stats().extended, 1u);
}

TEST(EntryPointStoreTest, WritesAPartWhenItsBufferIsFull) {
  const Kept kept;
  const auto store = kept.open();
  const std::string record(64 << 10, 'x');
  for (std::uint64_t i = 0; i < 63; ++i) learn(*store, i, record);
  EXPECT_EQ(kept.files("beside").size(), 0u);
  EXPECT_LE(store->memory_bytes(), 5 * kMiB);
  learn(*store, 63, record);
  EXPECT_EQ(kept.files("beside").size(), 1u);
  EXPECT_LE(store->memory_bytes(), kMiB);
  EXPECT_EQ(content(*store, 63), record);
}

TEST(EntryPointStoreTest, ANewEpochWritesAndSeesWhatOthersWrote) {
  const Kept kept;
  const auto first = kept.open();
  const auto second = kept.open();
  for (EntryPointStore* store : {first.get(), second.get()}) store->begin_epoch(3);
  learn(*first, 7, "seven");
  learn(*second, 8, "eight");
  first->begin_epoch(3);
  EXPECT_EQ(kept.files("beside").size(), 0u);
  first->begin_epoch(4);
  EXPECT_EQ(content(*first, 7), "seven");
  second->begin_epoch(4);
  EXPECT_EQ(content(*second, 7), "seven");
  EXPECT_EQ(content(*second, 8), "eight");
  EXPECT_EQ(content(*first, 8), "");
  first->begin_epoch(5);
  EXPECT_EQ(content(*first, 8), "eight");
}

TEST(EntryPointStoreTest, GoesToTheCacheIfItsPlaceIsReadOnly) {
  Kept kept;
  kept.storage.read_only = kept.folder.path("beside");
  learn(*kept.open(), 7, "seven");
  EXPECT_EQ(kept.files("beside").size(), 0u);
  EXPECT_EQ(kept.files("cache").size(), 1u);
  const auto store = kept.open();
  EXPECT_EQ(content(*store, 7), "seven");
  EXPECT_EQ(store->stats().problem, "");
}

TEST(EntryPointStoreTest, StopsLearningIfNoPlaceCanBeWrittenAndSaysWhy) {
  Kept kept;
  kept.storage.read_only = kept.folder.path();
  const auto store = kept.open();
  learn(*store, 7, "seven");
  store->flush();
  EXPECT_FALSE(store->learns());
  EXPECT_EQ(store->stats().problem, "permission denied");
  learn(*store, 8, "eight");
  store->flush();
  EXPECT_EQ(content(*store, 8), "");
}

TEST(EntryPointStoreTest, IgnoresDamagedAndForeignFiles) {
  const Kept kept;
  learn(*kept.open(), 7, "seven");
  learn(*kept.open(), 8, "eight");
  const auto files = kept.files("beside");
  ASSERT_EQ(files.size(), 2u);
  std::filesystem::resize_file(files[0], 40);
  kept.folder.write("beside/readme.txt", "hello");
  kept.folder.write("beside/0-foreign.part", "hello");
  kept.folder.write("beside/0-empty.part", "");
  const auto store = kept.open();
  EXPECT_EQ(content(*store, 7), "");
  EXPECT_EQ(content(*store, 8), "eight");
  learn(*store, 7, "seven");
  store->flush();
  EXPECT_EQ(content(*store, 7), "seven");
  EXPECT_EQ(content(*kept.open(), 7), "seven");
}

TEST(EntryPointStoreTest, ARecordThatWasForgottenIsLearntAgain) {
  const Kept kept;
  learn(*kept.open(), 7, "seven");
  {
    std::fstream file(kept.files("beside")[0], std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(-1, std::ios::end);
    file << '?';
  }
  const auto store = kept.open();
  EXPECT_EQ(content(*store, 7), "entry points: a record does not have its checksum");
  store->forget(7, store->find(7)->spot);
  EXPECT_EQ(content(*store, 7), "");
  learn(*store, 7, "seven");
  store->flush();
  EXPECT_EQ(content(*store, 7), "seven");
  EXPECT_EQ(content(*kept.open(), 7), "seven");
}

TEST(EntryPointStoreTest, AReaderOfAPartThatWentLosesOnlyThat) {
  const Kept kept;
  learn(*kept.open(), 7, "seven");
  const auto store = kept.open();
  std::filesystem::remove(kept.files("beside")[0]);
  EXPECT_EQ(content(*store, 7), "unread: no such file");
}

TEST(EntryPointStoreTest, HoldsNoMoreThanItMay) {
  const Kept kept;
  {
    const auto store = kept.open({.num_images = 100'000}, 256 << 10);
    for (std::uint64_t i = 0; i < 30'000; ++i) {
      learn(*store, mix_bits(i), "x");
      ASSERT_LE(store->memory_bytes(), 256u << 10);
    }
  }
  const auto store = kept.open({.num_images = 100'000}, 128 << 10);
  EXPECT_LE(store->memory_bytes(), 128u << 10);
}

TEST(EntryPointStoreTest, AFullTableWritesNothingAgainAndAgain) {
  const Kept kept;
  const auto store = kept.open({.num_images = 100'000}, 64 << 10);
  for (std::uint64_t i = 0; i < 20'000; ++i) learn(*store, mix_bits(i), "x");
  store->flush();
  const std::uint64_t before = store->stats().stored_bytes;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    if (!store->find(mix_bits(i))) learn(*store, mix_bits(i), "x");
  }
  store->flush();
  EXPECT_LE(store->stats().stored_bytes, before + (32 << 10));
}

TEST(EntryPointStoreTest, WantsMemoryForWhatThereIsAndWhatMayCome) {
  const Kept kept;
  const auto wanted = [&](const EntryPointOptions& options) {
    return EntryPointStore({{&kept.storage, {kept.folder.path("beside"), ""}}}, options)
        .wanted_bytes();
  };
  EXPECT_EQ(wanted({.learns = false}), 64u << 10);
  EXPECT_EQ(wanted({.num_images = 1000}), (64 << 10) + 23 * 1000 + 16 * kMiB);
  learn(*kept.open(), 7, "seven");
  EXPECT_EQ(wanted({.learns = false}), (64 << 10) + 23);
}

TEST(EntryPointStoreTest, ManyThreadsLearnWhileOthersFind) {
  const Kept kept;
  constexpr std::uint64_t kEach = 400;
  const auto text = [](std::uint64_t i) { return concat(i, std::string(5000, 'x')); };
  {
    const auto store = kept.open({.num_images = 8 * kEach}, 4 * kMiB);
    std::vector<std::jthread> threads;
    threads.reserve(10);
    for (std::uint64_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < kEach; ++i) {
          learn(*store, mix_bits(t * kEach + i), text(t * kEach + i));
          if (i % 100 == 50) store->begin_epoch(static_cast<std::uint32_t>(i));
        }
      });
    }
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&] {
        for (std::uint64_t i = 0; i < 8 * kEach; ++i) {
          const std::string found = content(*store, mix_bits(i));
          EXPECT_TRUE(found.empty() || found == text(i));
          if (i % 500 == 0) (void)store->stats();
        }
      });
    }
    threads.clear();
    EXPECT_EQ(store->stats().problem, "");
  }
  const auto store = kept.open();
  std::uint64_t num_found = 0;
  for (std::uint64_t i = 0; i < 8 * kEach; ++i) {
    const std::string found = content(*store, mix_bits(i));
    if (found.empty()) continue;
    EXPECT_EQ(found, text(i));
    ++num_found;
  }
  EXPECT_GT(num_found, 0u);
}

}  // namespace
}  // namespace penstock::deliver
