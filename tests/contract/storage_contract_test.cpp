// What every storage promises, checked over all of them.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "penstock/storage/catalog.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {
namespace {

using Objects = std::map<std::string, std::string, std::less<>>;

// A storage and the folder in it where the test's objects lie.
struct Backend {
  std::unique_ptr<Storage> storage;
  std::string root;
  bool is_on_disk = false;
  bool is_remote = false;  // says what is wrong in the words of its server
};

std::string make_temporary_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "penstock-XXXXXX").native();
  return mkdtemp(name.data());
}

Backend make_memory() { return {make_memory_storage({}), "root"}; }
Backend make_uring() { return {make_local_storage(LocalIo::kAuto), make_temporary_folder(), true}; }
Backend make_pread() {
  return {make_local_storage(LocalIo::kPread), make_temporary_folder(), true};
}

// Servers that tests/servers/run.py starts; their addresses are in the environment.
std::string server(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

std::string unique_name() {
  static std::atomic<int> number = 0;
  return concat("contract-", getpid(), "-", ++number);
}

Backend make_http() {
  return {make_storage(), concat(server("PENSTOCK_TEST_HTTP"), "/dav/", unique_name()), false,
          true};
}
Backend make_s3() {
  setenv("AWS_ENDPOINT_URL", server("PENSTOCK_TEST_S3_ENDPOINT").c_str(), 1);
  setenv("AWS_ACCESS_KEY_ID", server("PENSTOCK_TEST_S3_KEY").c_str(), 1);
  setenv("AWS_SECRET_ACCESS_KEY", server("PENSTOCK_TEST_S3_SECRET").c_str(), 1);
  setenv("AWS_REGION", server("PENSTOCK_TEST_S3_REGION").c_str(), 1);
  std::filesystem::create_directories(concat(server("PENSTOCK_TEST_S3_ROOT"), "/contract"));
  return {make_storage(), concat("s3://contract/", unique_name()), false, true};
}
Backend make_ais() {
  setenv("AIS_ENDPOINT", server("PENSTOCK_TEST_AIS").c_str(), 1);
  return {make_storage(), concat("ais://contract/", unique_name()), false, true};
}

struct BackendDef {
  std::string_view name;
  Backend (*make)();
};
constexpr BackendDef kBackends[] = {{"Memory", make_memory},
                                    {"LocalUring", make_uring},
                                    {"LocalPread", make_pread},
                                    {"Http", make_http},
                                    {"S3", make_s3},
                                    {"Ais", make_ais}};

Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

class StorageContractTest : public testing::TestWithParam<BackendDef> {
 protected:
  void SetUp() override {
    backend_ = GetParam().make();
    if (backend_.is_remote && server("PENSTOCK_TEST_HTTP").empty()) {
      GTEST_SKIP() << "needs tests/servers/run.py";
    }
    for (const auto& [path, content] : Objects{{"digits", "0123456789"},
                                               {"empty", ""},
                                               {"a-b", "dash"},
                                               {"a/2", "two"},
                                               {"a/1", "one"},
                                               {"a/deep/er/3", "three"}}) {
      put(path, content);
    }
  }
  ~StorageContractTest() override {
    if (backend_.is_on_disk) std::filesystem::remove_all(backend_.root);
  }

  // Of something that is not there.
  void expect_missing(const Status& status, std::string_view path = {}) const {
    EXPECT_EQ(status.code(), Code::kNotFound) << status.message();
    if (backend_.is_remote) {
      EXPECT_TRUE(status.message().starts_with(path)) << status.message();
    } else {
      EXPECT_EQ(status, not_found(path, path.empty() ? "" : ": ", "no such file"));
    }
  }

  const Storage& storage() const { return *backend_.storage; }
  const Backend& backend() const { return backend_; }
  const std::string& root() const { return backend_.root; }
  std::string at(std::string_view path) const { return concat(backend_.root, '/', path); }

  // Past the storage where that is faster: it may wait for the disk.
  void put(std::string_view path, std::string_view content) const {
    if (!backend_.is_on_disk) {
      EXPECT_EQ(storage().write(at(path), as_bytes(content)), Status());
      return;
    }
    std::filesystem::create_directories(std::filesystem::path(at(path)).parent_path());
    std::ofstream(at(path), std::ios::binary) << content;
  }

  // The bytes read, or the failure.
  Result<std::string> read(std::string_view path, std::uint64_t offset, std::size_t size) const {
    std::string out(size, '?');
    const std::string full_path = at(path);
    ReadRequest request{full_path, offset, std::as_writable_bytes(std::span(out)), {}};
    storage().read({&request, 1});
    if (!request.status.ok()) return request.status;
    return out;
  }

  std::vector<std::string> listed(std::string_view folder) const {
    std::vector<std::string> lines;
    const auto found = storage().list(folder);
    if (!found.ok()) return {std::string(found.status().message())};
    for (const ObjectInfo& object : *found) {
      lines.push_back(concat(object.path.substr(root().size()), ' ', object.size_bytes));
    }
    return lines;
  }

 private:
  Backend backend_;
};

INSTANTIATE_TEST_SUITE_P(Backends, StorageContractTest, testing::ValuesIn(kBackends),
                         [](const auto& backend) { return std::string(backend.param.name); });

TEST_P(StorageContractTest, ReadsARange) {
  EXPECT_EQ(read("digits", 0, 10).value(), "0123456789");
  EXPECT_EQ(read("digits", 3, 4).value(), "3456");
  EXPECT_EQ(read("digits", 9, 1).value(), "9");
}

TEST_P(StorageContractTest, ReadsAnEmptyRangeAnywhere) {
  EXPECT_EQ(read("digits", 4, 0).value(), "");
  EXPECT_EQ(read("digits", 100, 0).value(), "");
  EXPECT_EQ(read("empty", 0, 0).value(), "");
}

TEST_P(StorageContractTest, ReportsARangeThatBeginsInsideAndEndsOutside) {
  const Status status = read("digits", 8, 4).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(), "ends at byte 10, expected 12");
}

TEST_P(StorageContractTest, ReportsARangePastTheEnd) {
  EXPECT_EQ(read("digits", 100, 1).status(), corrupt("ends at byte 10, expected 101"));
  EXPECT_EQ(read("empty", 0, 1).status(), corrupt("ends at byte 0, expected 1"));
}

TEST_P(StorageContractTest, ReportsARangeThatNoObjectCanHave) {
  const auto far = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(read("digits", far, 2).status(),
            corrupt("ends at byte 10, expected 18446744073709551615"));
  EXPECT_EQ(read("digits", far / 2, 2).status(),
            corrupt("ends at byte 10, expected 9223372036854775809"));
}

TEST_P(StorageContractTest, ReportsAMissingObject) {
  expect_missing(read("nothing", 0, 1).status());
  expect_missing(read("nothing", 0, 0).status());
  expect_missing(read("digits/below", 0, 1).status());
}

TEST_P(StorageContractTest, DoesNotReadAFolder) {
  EXPECT_EQ(read("a", 0, 1).status().code(), Code::kNotFound);
  EXPECT_EQ(storage().stat(at("a")).status().code(), Code::kNotFound);
}

TEST_P(StorageContractTest, AnswersAnEmptyBatch) { storage().read({}); }

TEST_P(StorageContractTest, StatTellsPathAndSize) {
  const auto info = storage().stat(at("digits"));
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->path, at("digits"));
  EXPECT_EQ(info->size_bytes, 10u);
}

TEST_P(StorageContractTest, StatOfNothingNamesThePath) {
  expect_missing(storage().stat(at("nothing")).status(), at("nothing"));
}

TEST_P(StorageContractTest, ListsEverythingBelowInPathOrder) {
  EXPECT_EQ(listed(root()), (std::vector<std::string>{"/a-b 4", "/a/1 3", "/a/2 3",
                                                      "/a/deep/er/3 5", "/digits 10", "/empty 0"}));
}

TEST_P(StorageContractTest, ListsAFolderNamedWithASlash) {
  EXPECT_EQ(listed(at("a/deep/")), std::vector<std::string>{"/a/deep/er/3 5"});
}

TEST_P(StorageContractTest, ListsNoFolderThatIsNotThere) {
  EXPECT_EQ(storage().list(at("nothing")).status().code(), Code::kNotFound);
  EXPECT_EQ(storage().list(at("digits")).status().code(), Code::kNotFound);
}

TEST_P(StorageContractTest, ListsOneLevelOfAFolder) {
  const auto listing = storage().list_folder(at("a"));
  ASSERT_TRUE(listing.ok());
  ASSERT_EQ(listing->objects.size(), 2u);
  EXPECT_EQ(listing->objects[0].path, at("a/1"));
  EXPECT_EQ(listing->objects[1].path, at("a/2"));
  EXPECT_EQ(listing->folders, std::vector<std::string>{at("a/deep")});
}

TEST_P(StorageContractTest, ReadsWhatWasWritten) {
  ASSERT_EQ(storage().write(at("new/folder/x"), as_bytes("fresh")), Status());
  EXPECT_EQ(read("new/folder/x", 0, 5).value(), "fresh");
}

TEST_P(StorageContractTest, OverwritesWithSomethingShorter) {
  ASSERT_EQ(storage().write(at("digits"), as_bytes("ab")), Status());
  EXPECT_EQ(read("digits", 0, 2).value(), "ab");
  EXPECT_EQ(read("digits", 0, 3).status(), corrupt("ends at byte 2, expected 3"));
}

TEST_P(StorageContractTest, RemovesAnObject) {
  put("passing", "here");
  EXPECT_EQ(storage().remove(at("passing")), Status());
  EXPECT_EQ(storage().stat(at("passing")).status().code(), Code::kNotFound);
  expect_missing(storage().remove(at("passing")), at("passing"));
}

TEST_P(StorageContractTest, ShowsAnObjectWrittenInPiecesWhenItIsComplete) {
  auto writer = storage().create(at("pieces"));
  ASSERT_TRUE(writer.ok());
  ASSERT_EQ((*writer)->append(as_bytes("one,")), Status());
  ASSERT_EQ((*writer)->append(as_bytes("two")), Status());
  EXPECT_EQ(storage().stat(at("pieces")).status().code(), Code::kNotFound);
  ASSERT_EQ((*writer)->commit(), Status());
  EXPECT_EQ(read("pieces", 0, 7).value(), "one,two");
}

TEST_P(StorageContractTest, ForgetsAnObjectThatIsNotCommitted) {
  const auto before = listed(root());
  {
    auto writer = storage().create(at("pieces"));
    ASSERT_TRUE(writer.ok());
    ASSERT_EQ((*writer)->append(as_bytes("one,")), Status());
  }
  EXPECT_EQ(listed(root()), before);
}

// Object i holds 40 copies of the letter i, so that a mix-up shows.
std::string letters(std::size_t i) { return std::string(40, static_cast<char>('a' + i % 26)); }

TEST_P(StorageContractTest, AnswersEachRequestOfALargeMixedBatch) {
  constexpr std::size_t kCount = 500;
  std::vector<std::string> paths(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    paths[i] = at(concat("many/", i % 50));
    if (i < 50) put(concat("many/", i), letters(i));
    if (i % 7 == 3) paths[i] += ".missing";
  }
  std::vector<std::string> outs(kCount, std::string(10, '?'));
  std::vector<ReadRequest> requests;
  for (std::size_t i = 0; i < kCount; ++i) {
    // Every 11th reaches 5 bytes past the end.
    const std::uint64_t offset = i % 11 == 5 ? 35 : i % 30;
    requests.push_back({paths[i], offset, std::as_writable_bytes(std::span(outs[i])), {}});
  }
  storage().read(requests);
  for (std::size_t i = 0; i < kCount; ++i) {
    if (i % 7 == 3) {
      expect_missing(requests[i].status);
    } else if (i % 11 == 5) {
      EXPECT_EQ(requests[i].status, corrupt("ends at byte 40, expected 45")) << i;
    } else {
      EXPECT_EQ(requests[i].status, Status()) << i;
      EXPECT_EQ(outs[i], letters(i % 50).substr(0, 10)) << i;
    }
  }
}

TEST_P(StorageContractTest, ForgetsTheStatusThatARequestHadBefore) {
  const std::string path = at("digits");
  std::string out(2, '?');
  ReadRequest request{path, 0, std::as_writable_bytes(std::span(out)), corrupt("left over")};
  storage().read({&request, 1});
  EXPECT_EQ(request.status, Status());
}

TEST_P(StorageContractTest, WritesNothingOutsideOfWhatWasAsked) {
  const std::string path = at("digits");
  std::string out(6, '?');
  std::vector<ReadRequest> requests(2);
  requests[0] = {path, 0, std::as_writable_bytes(std::span(out).subspan(1, 2)), {}};
  requests[1] = {path, 5, std::as_writable_bytes(std::span(out).subspan(4, 1)), {}};
  storage().read(requests);
  EXPECT_EQ(out, "?01?5?");
}

TEST_P(StorageContractTest, ServesManyThreadsAtOnce) {
  std::string content;
  for (int i = 0; i < 5000; ++i) content += concat(i, ' ');
  put("big", content);
  const std::string path = at("big");
  std::atomic<int> num_wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t round = 0; round < 50; ++round) {
          std::vector<std::string> outs(9, std::string(100 + t, '?'));
          std::vector<ReadRequest> requests;
          for (std::size_t k = 0; k < outs.size(); ++k) {
            const std::uint64_t offset = (t * 997 + round * 131 + k * 17) % 20'000;
            requests.push_back({path, offset, std::as_writable_bytes(std::span(outs[k])), {}});
          }
          storage().read(requests);
          for (std::size_t k = 0; k < outs.size(); ++k) {
            const bool is_right = requests[k].status.ok() &&
                                  outs[k] == content.substr(requests[k].offset, outs[k].size());
            if (!is_right) ++num_wrong;
          }
        }
      });
    }
  }
  EXPECT_EQ(num_wrong, 0);
}

TEST_P(StorageContractTest, ReadersSeeTheOldBytesOrTheNewOnes) {
  const std::string path = at("turns");
  const std::string old_content(50'000, 'o');
  const std::string new_content(50'000, 'n');
  ASSERT_EQ(storage().write(path, as_bytes(old_content)), Status());
  std::jthread writer([&] {
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(storage().write(path, as_bytes(i % 2 == 0 ? new_content : old_content)), Status());
    }
  });
  for (int i = 0; i < 200; ++i) {
    const auto found = read("turns", 0, 50'000);
    // What is put together from several answers may be noticed to have changed.
    if (backend().is_remote && found.status().code() == Code::kCorrupt) continue;
    ASSERT_TRUE(found.ok()) << found.status().message();
    EXPECT_TRUE(*found == old_content || *found == new_content);
  }
}

}  // namespace
}  // namespace penstock::storage
