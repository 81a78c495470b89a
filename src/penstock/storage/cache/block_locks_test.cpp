#include "penstock/storage/cache/block_locks.h"

#include <gtest/gtest.h>

#include <thread>

#include "penstock/storage/cache/test_cache_folder.h"

namespace penstock::storage {
namespace {

constexpr BlockId kBlock{1, 2};

class BlockLocksTest : public testing::Test {
 protected:
  // As another process would: the lock belongs to the open file.
  LockFile open() const {
    auto file = LockFile::open(folder_.root() + "/lock");
    EXPECT_EQ(file.status(), Status());
    return *std::move(file);
  }

  TestCacheFolder folder_;
};

TEST_F(BlockLocksTest, AreHeldByOneThread) {
  const LockFile file = open();
  BlockLocks locks(file, 16);
  EXPECT_TRUE(locks.try_lock(kBlock));
  EXPECT_FALSE(locks.try_lock(kBlock));
  EXPECT_TRUE(locks.try_lock({1, 3}));
  locks.unlock(kBlock);
  EXPECT_TRUE(locks.try_lock(kBlock));
}

TEST_F(BlockLocksTest, AreHeldByOneProcess) {
  const LockFile mine = open();
  const LockFile other = open();
  BlockLocks my_locks(mine, 16);
  BlockLocks other_locks(other, 16);
  EXPECT_TRUE(my_locks.try_lock(kBlock));
  EXPECT_FALSE(other_locks.try_lock(kBlock));
  my_locks.unlock(kBlock);
  EXPECT_TRUE(other_locks.try_lock(kBlock));
}

TEST_F(BlockLocksTest, WakeWhoWaitsWhenOneIsGivenBack) {
  const LockFile file = open();
  BlockLocks locks(file, 16);
  EXPECT_TRUE(locks.try_lock(kBlock));
  const std::uint64_t before = locks.num_unlocked();
  const std::jthread other([&] { locks.unlock(kBlock); });
  while (locks.num_unlocked() == before) locks.wait(before, {});
  EXPECT_TRUE(locks.try_lock(kBlock));
}

TEST_F(BlockLocksTest, AFileMayBeLockedByManyInCommonOrByOneAlone) {
  const LockFile first = open();
  const LockFile second = open();
  EXPECT_TRUE(first.try_lock(0, LockKind::kExclusive));
  EXPECT_FALSE(second.try_lock(0, LockKind::kShared));
  first.lock(0, LockKind::kShared);
  EXPECT_TRUE(second.try_lock(0, LockKind::kShared));
  EXPECT_FALSE(second.try_lock(0, LockKind::kExclusive));
}

}  // namespace
}  // namespace penstock::storage
