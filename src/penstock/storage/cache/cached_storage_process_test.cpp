// Caches shared by processes, killed processes, and disks that cannot be written to.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "penstock/storage/cache/cached_storage.h"
#include "penstock/storage/cache/test_cache_folder.h"
#include "penstock/storage/cache/test_far_storage.h"

namespace penstock::storage {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kRoomy = std::uint64_t{1} << 30;
constexpr std::size_t kBlocks = 16;
const std::string kPath = "far/a.tar";
constexpr int kCannotTest = 77;

std::uint64_t room_for(std::size_t num_blocks) {
  return num_blocks * (kBlockBytes + footer_bytes(kBlockBytes));
}

// A process that runs `work` and ends with what it returns.
pid_t start_process(const std::function<int()>& work) {
  const pid_t process = fork();
  if (process == 0) _exit(work());
  return process;
}

// The exit code, or minus the signal.
int wait_for(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class CachedStorageProcessTest : public testing::Test {
 protected:
  CachedStorageProcessTest() {
    server_.put(kPath, {.size_bytes = kBlocks * kBlockBytes, .version = 1});
  }

  std::unique_ptr<Storage> open(const std::string& folder, std::uint64_t max_bytes = kRoomy) {
    counters_ = std::make_shared<CacheCounters>();
    return make_cached_storage(std::make_unique<FarStorage>(server_),
                               {folder, max_bytes, counters_});
  }
  std::unique_ptr<Storage> open() { return open(folder_.root()); }

  // How many of the ranges, half a block each in random order, were not as they should be.
  static int num_wrong_ranges(const Storage& storage, unsigned seed) {
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t i = 0; i < 2 * kBlocks - 1; ++i) {
      offsets.push_back(i * kBlockBytes / 2 + 1000);
    }
    std::ranges::shuffle(offsets, std::mt19937(seed));
    int num_wrong = 0;
    std::vector<std::byte> out(kBlockBytes / 2), expected(kBlockBytes / 2);
    for (const std::uint64_t offset : offsets) {
      ReadRequest request{kPath, offset, out, {}};
      storage.read({&request, 1});
      fill_far_bytes(kPath, 1, offset, expected);
      if (!request.status.ok() || out != expected) ++num_wrong;
    }
    return num_wrong;
  }

  TestCacheFolder folder_;
  FarServer server_;
  std::shared_ptr<CacheCounters> counters_;
};

TEST_F(CachedStorageProcessTest, ProcessesFetchEachBlockOnce) {
  server_.delay = milliseconds(3);
  std::vector<pid_t> processes;
  for (unsigned i = 0; i < 3; ++i) {
    processes.push_back(start_process([&] { return num_wrong_ranges(*open(), i); }));
  }
  for (const pid_t process : processes) EXPECT_EQ(wait_for(process), 0);
  EXPECT_EQ(server_.counts().num_bytes, kBlocks * kBlockBytes);
  EXPECT_EQ(server_.counts().max_fetched(), 1u);
  EXPECT_EQ(folder_.block_bytes(), room_for(kBlocks));
}

TEST_F(CachedStorageProcessTest, ABlockIsFetchedByAnotherIfItsFetcherIsKilled) {
  server_.delay = std::chrono::seconds(60);
  const pid_t slow = start_process([&] { return num_wrong_ranges(*open(), 1); });
  while (server_.counts().max_call_bytes == 0) std::this_thread::sleep_for(milliseconds(1));
  server_.delay = milliseconds(0);
  const pid_t waiting = start_process([&] { return num_wrong_ranges(*open(), 1); });
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(server_.counts().num_bytes, 0u);  // both want the same block first
  kill(slow, SIGKILL);
  EXPECT_EQ(wait_for(slow), -SIGKILL);
  EXPECT_EQ(wait_for(waiting), 0);
}

TEST_F(CachedStorageProcessTest, WhoWaitsForABlockCanBeStopped) {
  server_.delay = std::chrono::seconds(60);
  const pid_t slow = start_process([&] { return num_wrong_ranges(*open(), 1); });
  while (server_.counts().max_call_bytes == 0) std::this_thread::sleep_for(milliseconds(1));
  server_.delay = milliseconds(0);
  const auto storage = open();
  std::vector<std::byte> out(kBlocks * kBlockBytes);
  ReadRequest request{kPath, 0, out, {}};
  std::stop_source source;
  {
    const std::jthread reader([&] { storage->read({&request, 1}, source.get_token()); });
    std::this_thread::sleep_for(milliseconds(100));
    source.request_stop();
  }
  EXPECT_EQ(request.status, cancelled("stopped"));
  kill(slow, SIGKILL);
  wait_for(slow);
}

TEST_F(CachedStorageProcessTest, WhatKilledProcessesLeaveIsRight) {
  server_.delay = milliseconds(1);
  std::mt19937 random(1);
  for (unsigned i = 0; i < 20; ++i) {
    const pid_t process = start_process([&] { return num_wrong_ranges(*open(), i); });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 25'000));
    kill(process, SIGKILL);
    const int code = wait_for(process);
    EXPECT_TRUE(code == -SIGKILL || code == 0) << code;
  }
  server_.delay = milliseconds(0);
  const auto storage = open();
  EXPECT_EQ(folder_.files("incoming"), std::vector<std::string>());
  EXPECT_EQ(counters_->stats().stored_bytes, folder_.block_bytes());
  EXPECT_EQ(num_wrong_ranges(*storage, 1), 0);
  EXPECT_EQ(counters_->stats().stored_bytes, room_for(kBlocks));
}

TEST_F(CachedStorageProcessTest, CountsAnewWhenItIsAlone) {
  EXPECT_EQ(num_wrong_ranges(*open(), 1), 0);
  std::filesystem::remove(folder_.files("blocks").at(0));
  const auto storage = open();
  EXPECT_EQ(counters_->stats().stored_bytes, room_for(kBlocks - 1));
}

TEST_F(CachedStorageProcessTest, RemovesFilesThatNobodyIsWriting) {
  open();
  std::ofstream(folder_.root() + "/incoming/abcdef") << "left behind";
  open();
  EXPECT_EQ(folder_.files("incoming"), std::vector<std::string>());
}

TEST_F(CachedStorageProcessTest, AFileThatIsTooLargeFillsTheCache) {
  const int code = wait_for(start_process([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{kBlockBytes / 2, kBlockBytes / 2};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return kCannotTest;
    const auto storage = open();
    if (num_wrong_ranges(*storage, 1) != 0) return 1;
    const CacheStats stats = counters_->stats();
    if (stats.problem != concat("cache: ", folder_.root(), ": file too large")) return 2;
    return stats.is_full && stats.stored_bytes == 0 && stats.hits_bytes == 0 ? 0 : 3;
  }));
  EXPECT_EQ(code, 0);
  EXPECT_EQ(folder_.files("incoming"), std::vector<std::string>());
}

// In a process that sees a file system of its own at the folder.
int with_small_disk(const std::string& folder, const std::function<int()>& work) {
  return wait_for(start_process([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", "", MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", folder.c_str(), "tmpfs", 0, "size=6m") != 0) {
      return kCannotTest;
    }
    return work();
  }));
}

TEST_F(CachedStorageProcessTest, AFullDiskFillsTheCache) {
  const int code = with_small_disk(folder_.root(), [&] {
    const auto storage = open();
    if (num_wrong_ranges(*storage, 1) != 0 || num_wrong_ranges(*storage, 2) != 0) return 1;
    const CacheStats stats = counters_->stats();
    if (stats.problem != concat("cache: ", folder_.root(), ": no space left on device")) return 2;
    if (!folder_.files("incoming").empty()) return 3;
    return stats.is_full && stats.hits_bytes > 0 && stats.stored_bytes == room_for(5) ? 0 : 4;
  });
  if (code == kCannotTest) GTEST_SKIP() << "may not mount";
  EXPECT_EQ(code, 0);
}

TEST_F(CachedStorageProcessTest, AReadOnlyDiskIsReadAndNotWritten) {
  const int code = with_small_disk(folder_.root(), [&] {
    if (num_wrong_ranges(*open(folder_.root(), room_for(3)), 1) != 0) return 1;
    if (mount("none", folder_.root().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "") != 0) {
      return kCannotTest;
    }
    const auto storage = open();
    if (num_wrong_ranges(*storage, 2) != 0) return 2;
    const CacheStats stats = counters_->stats();
    if (stats.problem != concat("cache: ", folder_.root(), ": read-only file system")) return 3;
    if (folder_.files("blocks").size() != 3) return 4;
    return stats.is_full && stats.hits_bytes > 2 * kBlockBytes ? 0 : 5;
  });
  if (code == kCannotTest) GTEST_SKIP() << "may not mount";
  EXPECT_EQ(code, 0);
}

TEST_F(CachedStorageProcessTest, AFolderThatCannotBeMadeIsNoFailure) {
  std::ofstream(folder_.root() + "/file") << "no folder";
  const auto storage = open(folder_.root() + "/file/cache");
  EXPECT_EQ(num_wrong_ranges(*storage, 1), 0);
  EXPECT_TRUE(counters_->stats().is_full);
  EXPECT_EQ(counters_->stats().problem,
            concat("cache: ", folder_.root(), "/file/cache: not a folder"));
}

}  // namespace
}  // namespace penstock::storage
