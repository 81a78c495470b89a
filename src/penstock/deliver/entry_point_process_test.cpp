// Stores of several processes in one folder.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "penstock/base/hash.h"
#include "penstock/deliver/test_entry_point_store.h"

namespace penstock::deliver {
namespace {

// Runs in a process of its own, and ends it without a clean-up.
pid_t in_child(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  return child;
}

TEST(EntryPointProcessTest, TwoProcessesLearnSideBySide) {
  const Kept kept;
  std::vector<pid_t> children;
  for (const std::uint64_t first : {0, 100}) {
    children.push_back(in_child([&] {
      const auto store = kept.open();
      for (std::uint64_t i = first; i < first + 150; ++i) {
        learn(*store, i, concat("record ", i));
        if (i % 10 == 0) store->flush();
      }
      store->flush();
    }));
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const auto store = kept.open();
  for (std::uint64_t i = 0; i < 250; ++i) EXPECT_EQ(content(*store, i), concat("record ", i));
}

TEST(EntryPointProcessTest, AKilledProcessLeavesNoHalfPart) {
  const Kept kept;
  for (int round = 0; round < 5; ++round) {
    const pid_t child = in_child([&] {
      const auto store = kept.open({.num_images = 1 << 20});
      for (std::uint64_t i = 0;; ++i) {
        learn(*store, mix_bits(i), concat(i, std::string(10'000, 'x')));
        if (i % 20 == 0) store->flush();
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(30 + 7 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  std::uint64_t num_parts = 0;
  for (const std::string& path : kept.files("beside")) {
    if (!path.ends_with(".part")) continue;
    source::EntryPointPart copy;
    std::uint64_t num_records = 0;
    const auto count = [&](const source::EntryPointRecord&) { return ++num_records > 0; };
    const Status status = copy_records(kept.storage, path, count, copy);
    EXPECT_TRUE(status.ok()) << path << ": " << status.message();
    EXPECT_EQ(copy.records().size(), num_records);
    ++num_parts;
  }
  EXPECT_GT(num_parts, 0u);
}

}  // namespace
}  // namespace penstock::deliver
