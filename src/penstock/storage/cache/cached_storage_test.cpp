#include "penstock/storage/cache/cached_storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "penstock/storage/cache/block_file.h"
#include "penstock/storage/cache/test_cache_folder.h"
#include "penstock/storage/cache/test_far_storage.h"

namespace penstock::storage {
namespace {

constexpr std::uint64_t kRoomy = std::uint64_t{1} << 30;
const std::string kPath = "far/a.tar";

std::uint64_t room_for(std::size_t num_blocks) {
  return num_blocks * (kBlockBytes + footer_bytes(kBlockBytes));
}

std::vector<std::byte> expected_bytes(std::string_view path, std::uint64_t version,
                                      std::uint64_t offset, std::size_t size) {
  std::vector<std::byte> bytes(size);
  fill_far_bytes(path, version, offset, bytes);
  return bytes;
}

class CachedStorageTest : public testing::Test {
 protected:
  CachedStorageTest() { server_.put(kPath, {.size_bytes = 3 * kBlockBytes + 1000, .version = 1}); }

  void open(std::uint64_t max_bytes = kRoomy) {
    counters_ = std::make_shared<CacheCounters>();
    storage_ = make_cached_storage(std::make_unique<FarStorage>(server_),
                                   {folder_.root(), max_bytes, counters_});
  }

  Status read(std::uint64_t offset, std::size_t size) { return read(kPath, offset, size); }
  Status read(std::string_view path, std::uint64_t offset, std::size_t size) {
    bytes_.assign(size, std::byte{0});
    ReadRequest request{path, offset, bytes_, {}};
    storage_->read({&request, 1});
    return request.status;
  }

  // Whether what was read last is what the object has there.
  bool is_right(std::uint64_t offset, std::uint64_t version = 1) const {
    return bytes_ == expected_bytes(kPath, version, offset, bytes_.size());
  }

  CacheStats stats() const { return counters_->stats(); }
  FarCounts& counts() { return server_.counts(); }

  TestCacheFolder folder_;
  FarServer server_;
  std::shared_ptr<CacheCounters> counters_;
  std::unique_ptr<Storage> storage_;
  std::vector<std::byte> bytes_;
};

TEST_F(CachedStorageTest, CountsWhatWasFetchedAndWhatWasThere) {
  open();
  EXPECT_EQ(read(100, 1000), Status());
  EXPECT_TRUE(is_right(100));
  EXPECT_EQ(stats().hits_bytes, 0u);
  EXPECT_EQ(stats().misses_bytes, 1000u);
  EXPECT_EQ(read(5000, 300), Status());
  EXPECT_TRUE(is_right(5000));
  EXPECT_EQ(stats().hits_bytes, 300u);
  EXPECT_EQ(stats().misses_bytes, 1000u);
  EXPECT_EQ(stats().stored_bytes, room_for(1));
  EXPECT_FALSE(stats().is_full);
  EXPECT_EQ(stats().problem, "");
  EXPECT_EQ(counts().num_bytes, kBlockBytes);
}

TEST_F(CachedStorageTest, FindsBlocksOfAnEarlierStorage) {
  open();
  EXPECT_EQ(read(0, 3 * kBlockBytes + 1000), Status());
  open();
  EXPECT_EQ(read(0, 3 * kBlockBytes + 1000), Status());
  EXPECT_TRUE(is_right(0));
  EXPECT_EQ(stats().misses_bytes, 0u);
  EXPECT_EQ(counts().num_bytes, 3 * kBlockBytes + 1000);
}

TEST_F(CachedStorageTest, GivesEveryRangeItsBytes) {
  const std::uint64_t size = 3 * kBlockBytes + 1000;
  std::mt19937_64 random(1);
  for (int pass = 0; pass < 3; ++pass) {
    open();
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t offset = random() % size;
      const std::size_t longest = i % 2 == 0 ? 40'000 : size;
      const std::size_t length = 1 + random() % std::min<std::uint64_t>(longest, size - offset);
      ASSERT_EQ(read(offset, length), Status());
      ASSERT_TRUE(is_right(offset)) << length << " bytes at " << offset;
    }
  }
  EXPECT_EQ(stats().misses_bytes, 0u);
}

TEST_F(CachedStorageTest, GivesRangesAtTheBordersOfPagesTheirBytes) {
  open();
  EXPECT_EQ(read(0, 3 * kBlockBytes + 1000), Status());
  const std::vector<std::size_t> begins{0, 1, kPageBytes - 1, kPageBytes, kPageBytes + 1};
  const std::vector<std::size_t> ends{kPageBytes + 2,     2 * kPageBytes - 1, 2 * kPageBytes,
                                      2 * kPageBytes + 1, 3 * kPageBytes,     kBlockBytes};
  for (const std::size_t begin : begins) {
    for (const std::size_t end : ends) {
      open();  // so that pages are checked anew
      ASSERT_EQ(read(begin, end - begin), Status());
      ASSERT_TRUE(is_right(begin)) << begin << " to " << end;
    }
  }
  EXPECT_EQ(stats().misses_bytes, 0u);
}

TEST_F(CachedStorageTest, AnswersABatchOfManySmallRangesOfABlock) {
  for (int pass = 0; pass < 2; ++pass) {
    open();
    std::vector<std::vector<std::byte>> outs(300, std::vector<std::byte>(700));
    std::vector<ReadRequest> requests;
    for (std::size_t i = 0; i < outs.size(); ++i) {
      requests.push_back({kPath, i * 9000 % (2 * kBlockBytes), outs[i], {}});
    }
    storage_->read(requests);
    for (std::size_t i = 0; i < outs.size(); ++i) {
      ASSERT_EQ(requests[i].status, Status());
      ASSERT_EQ(outs[i], expected_bytes(kPath, 1, requests[i].offset, 700));
    }
  }
  EXPECT_EQ(stats().misses_bytes, 0u);
  EXPECT_EQ(stats().hits_bytes, 300u * 700);
}

TEST_F(CachedStorageTest, HalfARoomGivesHalfTheHits) {
  constexpr std::size_t kBlocks = 40;
  constexpr std::size_t kRange = 110 * 1024;
  server_.put(kPath, {.size_bytes = kBlocks * kBlockBytes, .version = 1});
  open(room_for(kBlocks / 2));
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t at = 0; at + kRange <= kBlocks * kBlockBytes; at += kRange) {
    offsets.push_back(at);
  }
  CacheStats before;
  for (int pass = 0; pass < 3; ++pass) {
    std::ranges::shuffle(offsets, std::mt19937(static_cast<unsigned>(pass)));
    before = stats();
    for (const std::uint64_t offset : offsets) {
      ASSERT_EQ(read(offset, kRange), Status());
      ASSERT_TRUE(is_right(offset));
    }
  }
  const double hits = static_cast<double>(stats().hits_bytes - before.hits_bytes);
  const double all = static_cast<double>(offsets.size() * kRange);
  EXPECT_NEAR(hits / all, 0.5, 0.02);
  EXPECT_TRUE(stats().is_full);
  EXPECT_EQ(stats().stored_bytes, room_for(kBlocks / 2));
  EXPECT_EQ(folder_.block_bytes(), room_for(kBlocks / 2));
}

TEST_F(CachedStorageTest, FetchesOnlyWhatIsAskedForOnceItIsFull) {
  open(room_for(1));
  EXPECT_EQ(read(0, 10), Status());
  counts().num_bytes = 0;
  EXPECT_EQ(read(kBlockBytes - 100, 200), Status());
  EXPECT_TRUE(is_right(kBlockBytes - 100));
  EXPECT_EQ(counts().num_bytes, 100u);
  EXPECT_TRUE(stats().is_full);
  EXPECT_EQ(stats().problem, "");
}

TEST_F(CachedStorageTest, FetchesARangeOverBlocksPastAFullCacheInOneRequest) {
  open(0);
  EXPECT_EQ(read(10, 3 * kBlockBytes), Status());
  EXPECT_TRUE(is_right(10));
  EXPECT_EQ(counts().num_requests, 1u);
}

TEST_F(CachedStorageTest, FetchesNeighboursTogether) {
  server_.put(kPath, {.size_bytes = 15 * kBlockBytes, .version = 1});
  open();
  EXPECT_EQ(read(1, 15 * kBlockBytes - 1), Status());
  EXPECT_EQ(counts().num_requests, 2u);  // 8 MiB and 7 MiB
}

TEST_F(CachedStorageTest, HoldsLittleMemoryWhateverIsAskedFor) {
  server_.put(kPath, {.size_bytes = 40 * kBlockBytes, .version = 1});
  open();
  EXPECT_EQ(read(0, 40 * kBlockBytes), Status());
  EXPECT_TRUE(is_right(0));
  EXPECT_EQ(counts().max_call_bytes, kCachedReadBytes);
  EXPECT_EQ(counts().num_bytes, 40 * kBlockBytes);
}

TEST_F(CachedStorageTest, TakesAReplacedObjectForAnotherOne) {
  open();
  EXPECT_EQ(read(0, 1000), Status());
  server_.put(kPath, {.size_bytes = 3 * kBlockBytes + 1000, .version = 2});
  EXPECT_TRUE(storage_->stat(kPath).ok());
  EXPECT_EQ(read(0, 1000), Status());
  EXPECT_TRUE(is_right(0, 2));
  EXPECT_EQ(stats().hits_bytes, 0u);
}

TEST_F(CachedStorageTest, TellsObjectsApartByTheirTimesIfThereAreNoVersions) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  server_.put(kPath, {.size_bytes = 1000, .version = 0, .modified_ns = 5 * kSecond});
  open();
  EXPECT_EQ(read(0, 1000), Status());
  server_.put(kPath, {.size_bytes = 1000, .version = 0, .modified_ns = 6 * kSecond});
  open();
  EXPECT_EQ(read(0, 1000), Status());
  EXPECT_EQ(stats().misses_bytes, 1000u);
  open();
  EXPECT_EQ(read(0, 1000), Status());
  EXPECT_EQ(stats().hits_bytes, 1000u);
}

TEST_F(CachedStorageTest, KeepsNothingThatCannotBeToldFromALaterVersion) {
  server_.put(kPath, {.size_bytes = 1000});
  open();
  EXPECT_EQ(read(0, 1000), Status());
  EXPECT_EQ(read(0, 1000), Status());
  EXPECT_EQ(stats().hits_bytes, 0u);
  EXPECT_EQ(stats().misses_bytes, 2000u);
  EXPECT_EQ(stats().stored_bytes, 0u);
  EXPECT_EQ(stats().problem, "cache: far/a.tar: not kept, nothing tells its version");
  EXPECT_EQ(counts().num_stats, 1u);
}

TEST_F(CachedStorageTest, AsksAgainAboutAnObjectWrittenThroughIt) {
  open();
  EXPECT_EQ(read(0, 1000), Status());
  EXPECT_EQ(storage_->write(kPath, std::vector<std::byte>(2000)), Status());
  EXPECT_EQ(read(0, 2000), Status());
  EXPECT_TRUE(is_right(0, 2));
}

TEST_F(CachedStorageTest, AsksAgainAboutAnObjectWrittenPieceByPiece) {
  open();
  const auto writer = storage_->create(kPath);
  EXPECT_EQ((*writer)->append(std::vector<std::byte>(2000)), Status());
  EXPECT_EQ(read(0, 1000), Status());
  EXPECT_TRUE(is_right(0, 1));
  EXPECT_EQ((*writer)->commit(), Status());
  EXPECT_EQ(read(0, 2000), Status());
  EXPECT_TRUE(is_right(0, 2));
}

TEST_F(CachedStorageTest, LearnsFromAListing) {
  open();
  EXPECT_TRUE(storage_->list("far").ok());
  EXPECT_EQ(read(0, 1000), Status());
  EXPECT_EQ(counts().num_stats, 0u);
  open();
  EXPECT_EQ(read(0, 1000), Status());
  EXPECT_EQ(stats().hits_bytes, 1000u);
}

TEST_F(CachedStorageTest, PassesLocalObjectsThrough) {
  open();
  EXPECT_EQ(storage_->write("near", std::vector<std::byte>(10, std::byte{7})), Status());
  EXPECT_EQ(read("near", 2, 3), Status());
  EXPECT_EQ(bytes_, std::vector<std::byte>(3, std::byte{7}));
  EXPECT_EQ(stats().misses_bytes, 0u);
  EXPECT_EQ(stats().stored_bytes, 0u);
}

TEST_F(CachedStorageTest, AnswersBatchesOfLocalAndRemoteObjects) {
  open();
  EXPECT_EQ(storage_->write("near", std::vector<std::byte>(10, std::byte{7})), Status());
  std::vector<std::byte> near(10), far(10);
  ReadRequest requests[] = {{"far/none", 0, near, {}}, {kPath, 5, far, {}}, {"near", 0, near, {}}};
  storage_->read(requests);
  EXPECT_EQ(requests[0].status, not_found("no such object"));
  EXPECT_EQ(requests[1].status, Status());
  EXPECT_EQ(far, expected_bytes(kPath, 1, 5, 10));
  EXPECT_EQ(requests[2].status, Status());
  EXPECT_EQ(near, std::vector<std::byte>(10, std::byte{7}));
}

TEST_F(CachedStorageTest, ReadsEmptyObjects) {
  server_.put("far/empty", {.size_bytes = 0, .version = 1});
  open();
  EXPECT_EQ(read("far/empty", 0, 0), Status());
  EXPECT_EQ(read("far/empty", 0, 1), corrupt("ends at byte 0, expected 1"));
  EXPECT_EQ(stats().stored_bytes, 0u);
}

TEST_F(CachedStorageTest, SaysOfARangeOverTheEndWhatTheServerSays) {
  open();
  EXPECT_EQ(read(3 * kBlockBytes, 1001), corrupt("ends at byte 3146728, expected 3146729"));
  EXPECT_EQ(read(~std::uint64_t{0}, 2),
            corrupt("ends at byte 3146728, expected 18446744073709551615"));
}

TEST_F(CachedStorageTest, PassesFailuresOnAndKeepsNothingOfThem) {
  open();
  server_.set_failure(io_error("GET: 503 service unavailable"));
  EXPECT_EQ(read(0, 10), io_error("GET: 503 service unavailable"));
  EXPECT_EQ(stats().stored_bytes, 0u);
  server_.set_failure({});
  EXPECT_EQ(read(0, 10), Status());
  EXPECT_TRUE(is_right(0));
  EXPECT_EQ(stats().stored_bytes, room_for(1));
}

TEST_F(CachedStorageTest, ReadsWhatIsThereOfAnObjectThatBecameShorter) {
  server_.put(kPath, {.size_bytes = 2 * kBlockBytes, .version = 1, .real_size_bytes = 1000});
  open();
  EXPECT_EQ(read(100, 900), Status());
  EXPECT_TRUE(is_right(100));
  EXPECT_EQ(read(100, 901), corrupt("ends at byte 1000, expected 1001"));
  EXPECT_EQ(stats().stored_bytes, 0u);
}

TEST_F(CachedStorageTest, PassesTheWishToStopOn) {
  open();
  std::stop_source source;
  source.request_stop();
  bytes_.resize(10);
  ReadRequest request{kPath, 0, bytes_, {}};
  storage_->read({&request, 1}, source.get_token());
  EXPECT_EQ(request.status, cancelled("stopped"));
}

TEST_F(CachedStorageTest, ThreadsFetchEachBlockOnce) {
  server_.put(kPath, {.size_bytes = 20 * kBlockBytes, .version = 1});
  server_.delay = std::chrono::milliseconds(2);
  open();
  std::atomic<int> num_wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(t);
        std::vector<std::byte> out(kBlockBytes / 2);
        for (int i = 0; i < 60; ++i) {
          const std::uint64_t offset = random() % (20 * kBlockBytes - out.size());
          ReadRequest request{kPath, offset, out, {}};
          storage_->read({&request, 1});
          if (!request.status.ok() || out[9] != far_byte(kPath, 1, offset + 9)) ++num_wrong;
        }
      });
    }
  }
  EXPECT_EQ(num_wrong, 0);
  EXPECT_EQ(counts().max_fetched(), 1u);
}

TEST_F(CachedStorageTest, RemovesNothingWhenItIsOpenedTwice) {
  open();
  EXPECT_EQ(read(0, 10), Status());
  const auto first = std::move(storage_);
  open();
  EXPECT_EQ(read(0, 10), Status());
  EXPECT_EQ(stats().hits_bytes, 10u);
  EXPECT_EQ(stats().stored_bytes, room_for(1));
}

// Where a block file is damaged; negative counts from its end.
class DamagedBlockTest : public CachedStorageTest, public testing::WithParamInterface<int> {};

TEST_P(DamagedBlockTest, IsFetchedAgain) {
  open();
  EXPECT_EQ(read(0, kBlockBytes), Status());
  const std::string path = folder_.files("blocks").at(0);
  const auto size = static_cast<int>(room_for(1));
  const int at = GetParam() < 0 ? size + GetParam() : GetParam();
  // Pages are known to be good, and then damaged.
  EXPECT_EQ(read(0, kBlockBytes), Status());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the clock of file times is coarse
  TestCacheFolder::damage(path, static_cast<std::uint64_t>(at));
  EXPECT_EQ(read(0, kBlockBytes), Status());
  EXPECT_TRUE(is_right(0));
  EXPECT_EQ(counts().num_fetched[0], 2u);
  EXPECT_EQ(stats().stored_bytes, room_for(1));
  // Found by a storage that sees the block for the first time.
  TestCacheFolder::damage(path, static_cast<std::uint64_t>(at));
  open();
  EXPECT_EQ(read(0, kBlockBytes), Status());
  EXPECT_TRUE(is_right(0));
  EXPECT_EQ(counts().num_fetched[0], 3u);
  open();
  EXPECT_EQ(read(0, kBlockBytes), Status());
  EXPECT_EQ(stats().hits_bytes, kBlockBytes);
}

// The first, a middle and the last byte of the data; the table; each number of the trailer.
INSTANTIATE_TEST_SUITE_P(Everywhere, DamagedBlockTest,
                         testing::Values(0, 16383, 16384, 700'000, 1'048'575, 1'048'576, 1'048'900,
                                         -49, -48, -40, -32, -24, -16, -8, -1));

class CutBlockTest : public CachedStorageTest, public testing::WithParamInterface<int> {};

TEST_P(CutBlockTest, IsFetchedAgain) {
  open();
  EXPECT_EQ(read(0, 1000), Status());
  std::filesystem::resize_file(folder_.files("blocks").at(0),
                               static_cast<std::uintmax_t>(GetParam()));
  EXPECT_EQ(read(0, 1000), Status());
  EXPECT_TRUE(is_right(0));
  EXPECT_EQ(counts().num_fetched[0], 2u);
  open();
  EXPECT_EQ(read(0, 1000), Status());
  EXPECT_EQ(stats().hits_bytes, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, CutBlockTest,
                         testing::Values(0, 1, 500'000, 1'048'576, 1'049'135, 1'049'137));

TEST_F(CachedStorageTest, NeverTakesABlockForAnother) {
  open();
  EXPECT_EQ(read(0, 2 * kBlockBytes), Status());
  const auto files = folder_.files("blocks");
  std::filesystem::copy_file(files.at(0), files.at(1),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(read(0, 2 * kBlockBytes), Status());
  EXPECT_TRUE(is_right(0));
}

TEST_F(CachedStorageTest, ReadsOnWhenItsFolderIsTakenAway) {
  open();
  EXPECT_EQ(read(0, 1000), Status());
  std::filesystem::remove_all(folder_.root());
  EXPECT_EQ(read(0, 1000), Status());
  EXPECT_TRUE(is_right(0));
  EXPECT_EQ(stats().misses_bytes, 2000u);
}

}  // namespace
}  // namespace penstock::storage
