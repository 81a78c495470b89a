#include "penstock/deliver/block_buffer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "penstock/base/rng.h"

namespace penstock::deliver {
namespace {

constexpr std::size_t kBlock = 1000;
constexpr std::uint64_t kObjectBytes = 10'500;

char byte_at(std::uint32_t object, std::uint64_t offset) {
  return static_cast<char>(object * 31 + offset * 7 + offset / 251);
}

// Objects "0" and "1", and how often and how much was read of them.
class CountingStorage final : public storage::Storage {
 public:
  void read(std::span<storage::ReadRequest> requests, const std::stop_token&) const override {
    for (storage::ReadRequest& request : requests) {
      ++num_requests;
      num_bytes += request.out.size();
      request.status = answer(request);
    }
  }
  Result<storage::ObjectInfo> stat(std::string_view) const override { return unsupported(""); }
  Result<std::vector<storage::ObjectInfo>> list(std::string_view) const override {
    return unsupported("");
  }
  Status write(std::string_view, Bytes) const override { return unsupported(""); }

  mutable std::atomic<int> num_requests = 0;
  mutable std::atomic<std::uint64_t> num_bytes = 0;
  std::uint64_t broken_from = kObjectBytes;  // bytes from here on cannot be read

 private:
  Status answer(const storage::ReadRequest& request) const {
    if (request.offset + request.out.size() > broken_from) return io_error("broken");
    for (std::size_t i = 0; i < request.out.size(); ++i) {
      const auto object = static_cast<std::uint32_t>(request.path[0] - '0');
      request.out[i] = static_cast<std::byte>(byte_at(object, request.offset + i));
    }
    return {};
  }
};

struct Range {
  std::uint32_t object = 0;
  std::uint64_t offset = 0;
  std::size_t size = 0;
  std::uint32_t epoch = 0;
};

// Reads ranges and compares what comes.
class Reader {
 public:
  Reader(BlockBuffer& buffer, const storage::Storage& storage)
      : buffer_(buffer), storage_(storage) {}

  // The statuses, in order.
  std::vector<Status> read(const std::vector<Range>& ranges) {
    std::vector<std::string> memory;
    std::vector<storage::ReadRequest> requests;
    for (const Range& range : ranges) memory.emplace_back(range.size, '?');
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      requests.push_back({kNames[ranges[i].object], ranges[i].offset,
                          std::as_writable_bytes(std::span(memory[i])), io_error("not answered")});
    }
    std::vector<BlockRead> reads;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      reads.push_back(
          {&storage_, ranges[i].object, kObjectBytes, ranges[i].epoch, &requests[i], {}});
    }
    buffer_.read(reads, holds, {});
    std::vector<Status> statuses;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      statuses.push_back(requests[i].status);
      if (requests[i].status.ok()) check(ranges[i], reads[i].found);
    }
    return statuses;
  }

  BlockHolds holds;

 private:
  static constexpr std::string_view kNames[] = {"0", "1"};

  static void check(const Range& range, Bytes found) {
    ASSERT_EQ(found.size(), range.size);
    for (std::size_t i = 0; i < range.size; ++i) {
      ASSERT_EQ(static_cast<char>(found[i]), byte_at(range.object, range.offset + i)) << i;
    }
  }

  BlockBuffer& buffer_;
  const storage::Storage& storage_;
};

TEST(BlockBufferTest, FetchesABlockOnceForAllRangesInIt) {
  const CountingStorage storage;
  BlockBuffer buffer({.max_bytes = 10 * kBlock, .block_bytes = kBlock});
  Reader reader(buffer, storage);
  reader.read({{0, 100, 50}, {0, 900, 50}, {0, 3100, 10}});
  EXPECT_EQ(storage.num_requests, 2);
  reader.read({{0, 0, 1000}, {0, 3999, 1}});
  EXPECT_EQ(storage.num_requests, 2);
  EXPECT_EQ(buffer.held_bytes(), 2 * kBlock);
}

TEST(BlockBufferTest, JoinsRangesOfSeveralBlocksAndTheShortLastOne) {
  const CountingStorage storage;
  BlockBuffer buffer({.max_bytes = 20 * kBlock, .block_bytes = kBlock});
  Reader reader(buffer, storage);
  EXPECT_EQ(reader.read({{1, 990, 2020}, {1, 10'000, 500}, {1, 9'999, 501}, {1, 77, 0}}),
            std::vector<Status>(4));
  EXPECT_EQ(storage.num_bytes, 5 * kBlock + 500);
}

TEST(BlockBufferTest, DoesNotServeAnotherEpoch) {
  const CountingStorage storage;
  BlockBuffer buffer({.max_bytes = 10 * kBlock, .block_bytes = kBlock});
  Reader reader(buffer, storage);
  reader.read({{0, 0, 10, 0}});
  reader.read({{0, 0, 10, 1}});
  EXPECT_EQ(storage.num_requests, 2);
}

TEST(BlockBufferTest, ThrowsOutWhatWasNotWantedForTheLongestTime) {
  const CountingStorage storage;
  BlockBuffer buffer({.max_bytes = 2 * kBlock, .block_bytes = kBlock});
  Reader reader(buffer, storage);
  for (const std::uint64_t offset : {0, 1000, 0, 2000}) {
    reader.read({{0, offset, 10}});
    reader.holds.clear();
  }
  EXPECT_EQ(storage.num_requests, 3);
  reader.read({{0, 0, 10}});
  EXPECT_EQ(storage.num_requests, 3);
  reader.read({{0, 1000, 10}});
  EXPECT_EQ(storage.num_requests, 4);
  EXPECT_EQ(buffer.held_bytes(), 2 * kBlock);
}

TEST(BlockBufferTest, ReadsRangesAsTheyAreWhileAllBlocksAreInUse) {
  const CountingStorage storage;
  BlockBuffer buffer({.max_bytes = 2 * kBlock, .block_bytes = kBlock});
  Reader reader(buffer, storage);
  EXPECT_EQ(reader.read({{0, 0, 10}, {0, 1000, 10}, {0, 2000, 10}, {0, 1990, 20}}),
            std::vector<Status>(4));
  EXPECT_EQ(storage.num_bytes, 2 * kBlock + 10 + 20);
  EXPECT_EQ(buffer.held_bytes(), 2 * kBlock);
}

TEST(BlockBufferTest, SaysOfEachRangeWhatIsWrongWithIt) {
  CountingStorage storage;
  storage.broken_from = 1500;
  BlockBuffer buffer({.max_bytes = 10 * kBlock, .block_bytes = kBlock});
  Reader reader(buffer, storage);
  const std::vector<Status> expected = {{}, {}, io_error("broken"), io_error("broken")};
  EXPECT_EQ(reader.read({{0, 0, 10}, {0, 1400, 100}, {0, 1400, 101}, {0, 10'400, 200}}), expected);
  storage.broken_from = kObjectBytes;
  EXPECT_EQ(reader.read({{0, 1400, 101}}), std::vector<Status>(1));
}

TEST(BlockBufferTest, ManyThreadsGetTheRightBytes) {
  const CountingStorage storage;
  BlockBuffer buffer({.max_bytes = 8 * kBlock, .block_bytes = kBlock});
  std::vector<std::jthread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      Rng rng({.seed = thread});
      for (int round = 0; round < 200; ++round) {
        Reader reader(buffer, storage);
        std::vector<Range> ranges;
        for (int i = 0; i < 6; ++i) {
          const std::uint64_t offset = rng.below(kObjectBytes);
          ranges.push_back({static_cast<std::uint32_t>(rng.below(2)), offset,
                            rng.below(std::min<std::uint64_t>(2500, kObjectBytes - offset)),
                            static_cast<std::uint32_t>(rng.below(2))});
        }
        EXPECT_EQ(reader.read(ranges), std::vector<Status>(6));
        EXPECT_LE(buffer.held_bytes(), 8 * kBlock);
      }
    });
  }
}

}  // namespace
}  // namespace penstock::deliver
