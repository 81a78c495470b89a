#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "penstock/storage/ring_pool.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {
namespace {

namespace fs = std::filesystem;

// While it lives this process can open nothing.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit none{0, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoMoreFiles() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_;
};

// Twice each: through io_uring, if this kernel has it, and through pread.
class LocalStorageTest : public testing::TestWithParam<LocalIo> {
 protected:
  LocalStorageTest() : storage_(make_local_storage(GetParam())) {
    std::string name = (fs::temp_directory_path() / "penstock-XXXXXX").native();
    root_ = mkdtemp(name.data());
  }
  ~LocalStorageTest() override { fs::remove_all(root_); }

  std::string at(std::string_view path) const { return concat(root_, '/', path); }

  void put(std::string_view path, std::string_view content) const {
    fs::create_directories(fs::path(at(path)).parent_path());
    std::ofstream(at(path), std::ios::binary) << content;
  }

  std::vector<std::string> listed(std::string_view folder) const {
    const auto found = storage_->list(folder);
    if (!found.ok()) return {std::string(found.status().message())};
    std::vector<std::string> paths;
    for (const ObjectInfo& object : *found) paths.push_back(object.path.substr(root_.size() + 1));
    return paths;
  }

  // `size` bytes at `offset`, asked for twice so that they go the way of a batch.
  Result<std::string> read(const std::string& path, std::uint64_t offset, std::size_t size) const {
    std::string first(size, '?');
    std::string second(size, '?');
    ReadRequest requests[] = {{path, offset, std::as_writable_bytes(std::span(first)), {}},
                              {path, offset, std::as_writable_bytes(std::span(second)), {}}};
    storage_->read(requests);
    EXPECT_EQ(requests[0].status, requests[1].status);
    EXPECT_EQ(first, second);
    if (!requests[0].status.ok()) return requests[0].status;
    return first;
  }

  std::unique_ptr<Storage> storage_;
  std::string root_;
};

INSTANTIATE_TEST_SUITE_P(Ways, LocalStorageTest, testing::Values(LocalIo::kAuto, LocalIo::kPread),
                         [](const auto& way) {
                           return way.param == LocalIo::kAuto ? "Auto" : "Pread";
                         });

TEST_P(LocalStorageTest, FollowsLinksToFilesAndFolders) {
  put("real/x", "1");
  fs::create_directories(at("linked"));
  fs::create_symlink(at("real/x"), at("linked/file"));
  fs::create_directory_symlink(at("real"), at("linked/folder"));
  EXPECT_EQ(listed(at("linked")), (std::vector<std::string>{"linked/file", "linked/folder/x"}));
}

TEST_P(LocalStorageTest, DoesNotGoRoundInALinkCycle) {
  put("a/x", "1");
  fs::create_directory_symlink(at("a"), at("a/again"));
  fs::create_directory_symlink(root_, at("a/up"));
  EXPECT_EQ(listed(root_), std::vector<std::string>{"a/x"});
}

TEST_P(LocalStorageTest, ListsOnlyWhatCanBeRead) {
  put("x", "1");
  fs::create_symlink("nowhere", at("dangling"));
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(listed(root_), std::vector<std::string>{"x"});
}

TEST_P(LocalStorageTest, ListsHiddenFilesToo) {
  put(".hidden/.x", "1");
  EXPECT_EQ(listed(root_), std::vector<std::string>{".hidden/.x"});
}

TEST_P(LocalStorageTest, ListsAnEmptyFolder) {
  EXPECT_EQ(listed(root_), std::vector<std::string>{});
}

TEST_P(LocalStorageTest, ReadsBehindFourGiB) {
  std::ofstream(at("huge")).close();
  fs::resize_file(at("huge"), (5ull << 30) + 3);
  std::fstream file(at("huge"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(5ll << 30);
  file << "end";
  file.close();
  EXPECT_EQ(read(at("huge"), 5ull << 30, 3).value(), "end");
  EXPECT_EQ(read(at("huge"), 5ull << 30, 4).status(),
            corrupt("ends at byte 5368709123, expected 5368709124"));
}

TEST_P(LocalStorageTest, ReadsAFileThatWasReplaced) {
  put("x", "before");
  EXPECT_EQ(read(at("x"), 0, 6).value(), "before");
  put("y", "after!");
  fs::rename(at("y"), at("x"));
  EXPECT_EQ(read(at("x"), 0, 6).value(), "after!");
}

TEST_P(LocalStorageTest, NamesAFolderThatIsReadAsAFile) {
  EXPECT_EQ(read(root_, 0, 1).status(), not_found("a folder, expected a file"));
}

TEST_P(LocalStorageTest, NamesMissingPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  put("x", "1");
  fs::permissions(at("x"), fs::perms::none);
  EXPECT_EQ(read(at("x"), 0, 1).status(), io_error("permission denied"));
}

TEST_P(LocalStorageTest, NamesTheLimitOfOpenFiles) {
  put("x", "1");
  Status status;
  {
    const NoMoreFiles limit;
    status = read(at("x"), 0, 1).status();
  }
  EXPECT_EQ(status, resource_exhausted("too many open files in this process, see ulimit -n"));
}

TEST_P(LocalStorageTest, KeepsNoFileOpen) {
  put("x", "1");
  const auto num_open = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  EXPECT_TRUE(read(at("x"), 0, 1).ok());
  const auto before = num_open();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(read(at("x"), 0, 1).ok());
    EXPECT_FALSE(read(at("x"), 0, 2).ok());
  }
  EXPECT_EQ(num_open(), before);
}

TEST_P(LocalStorageTest, TellsWhenAFileWasModified) {
  put("x", "1");
  const timespec times[2] = {{1, 0}, {1'700'000'000, 123}};
  ASSERT_EQ(utimensat(AT_FDCWD, at("x").c_str(), times, 0), 0);
  EXPECT_EQ(storage_->stat(at("x"))->modified_ns, 1'700'000'000'000'000'123);
  EXPECT_EQ(storage_->list(root_)->at(0).modified_ns, 1'700'000'000'000'000'123);
}

TEST_P(LocalStorageTest, LeavesNothingBehindAWriteThatFails) {
  fs::create_directories(at("x"));
  put("x/keeps_the_folder", "1");
  EXPECT_FALSE(storage_->write(at("x"), {}).ok());
  EXPECT_EQ(listed(root_), std::vector<std::string>{"x/keeps_the_folder"});
}

// A folder stands where its path with a slash does, so the order is that of the whole paths.
TEST_P(LocalStorageTest, ListsInTheOrderOfWholePaths) {
  for (const char* path : {"a/1", "a-b/2", "a.c", "a0", "b"}) put(path, "1");
  EXPECT_EQ(listed(root_), (std::vector<std::string>{"a-b/2", "a.c", "a/1", "a0", "b"}));
}

TEST_P(LocalStorageTest, ReadsWhereNoRingCanBeMade) {
  put("x", "1");
  {
    const NoMoreFiles limit;
    EXPECT_EQ(RingPool::make(), nullptr);
    storage_ = make_local_storage(GetParam());
  }
  EXPECT_EQ(read(at("x"), 0, 1).value(), "1");
}

TEST(RingPoolTest, ReadsMoreFilesThanMayBeInFlight) {
  const auto pool = RingPool::make();
  if (!pool) GTEST_SKIP() << "no io_uring here";
  std::string name = (fs::temp_directory_path() / "penstock-XXXXXX").native();
  const std::string root = mkdtemp(name.data());
  std::vector<std::string> paths;
  std::vector<char> outs(300, '?');
  std::vector<ReadRequest> requests(300);
  std::vector<ReadRequest*> order;
  for (std::size_t i = 0; i < 300; ++i) {
    paths.push_back(concat(root, '/', i));
    std::ofstream(paths.back()) << static_cast<char>('a' + i % 26);
  }
  for (std::size_t i = 0; i < 300; ++i) {
    requests[i] = {paths[i], 0, std::as_writable_bytes(std::span(outs).subspan(i, 1)), {}};
    order.push_back(&requests[i]);
  }
  EXPECT_TRUE(pool->read(order));
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(requests[i].status, Status());
    EXPECT_EQ(outs[i], static_cast<char>('a' + i % 26));
  }
  fs::remove_all(root);
}

}  // namespace
}  // namespace penstock::storage
