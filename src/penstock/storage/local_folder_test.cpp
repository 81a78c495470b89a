#include "penstock/storage/local_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace penstock::storage {
namespace {

using testing::ElementsAre;

class LocalFolderTest : public testing::Test {
 protected:
  LocalFolderTest() {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-XXXXXX").native();
    root_ = mkdtemp(name.data());
  }
  ~LocalFolderTest() override { std::filesystem::remove_all(root_); }

  std::string at(std::string_view name) const { return concat(root_, '/', name); }
  void write(std::string_view name, std::string_view content) const {
    std::ofstream(at(name)) << content;
  }

  std::string root_;
};

std::vector<std::string> paths(const std::vector<ObjectInfo>& objects) {
  std::vector<std::string> out;
  for (const ObjectInfo& object : objects) out.push_back(object.path);
  return out;
}

TEST_F(LocalFolderTest, ListsOneLevelInOrder) {
  write("b.jpg", "12345");
  write("a.jpg", "");
  std::filesystem::create_directories(at("z/deep"));
  std::filesystem::create_directories(at("y"));
  const auto listing = list_local_folder(root_);
  ASSERT_TRUE(listing.ok()) << listing.status().message();
  EXPECT_THAT(paths(listing->objects), ElementsAre(at("a.jpg"), at("b.jpg")));
  EXPECT_EQ(listing->objects[1].size_bytes, 5u);
  EXPECT_THAT(listing->folders, ElementsAre(at("y"), at("z")));
}

TEST_F(LocalFolderTest, FollowsLinksAndPassesOverDanglingOnes) {
  write("a.jpg", "123");
  std::filesystem::create_directory(at("d"));
  std::filesystem::create_symlink(at("a.jpg"), at("b.jpg"));
  std::filesystem::create_symlink(at("d"), at("e"));
  std::filesystem::create_symlink(at("nowhere"), at("f"));
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  const auto listing = list_local_folder(root_);
  ASSERT_TRUE(listing.ok());
  EXPECT_THAT(paths(listing->objects), ElementsAre(at("a.jpg"), at("b.jpg")));
  EXPECT_EQ(listing->objects[1].size_bytes, 3u);
  EXPECT_THAT(listing->folders, ElementsAre(at("d"), at("e")));
}

TEST_F(LocalFolderTest, TimeChangesWithWhatLiesInTheFolder) {
  std::filesystem::create_directory(at("d"));
  const auto before = local_folder_modified_ns(at("d"));
  ASSERT_TRUE(before.ok());
  EXPECT_EQ(list_local_folder(at("d"))->modified_ns, *before);
  // Times of some file systems are as coarse as a tick of the kernel.
  for (int i = 0; i < 1000 && *local_folder_modified_ns(at("d")) == *before; ++i) {
    write("d/x", "");
    std::filesystem::remove(at("d/x"));
  }
  EXPECT_GT(*local_folder_modified_ns(at("d")), *before);
}

TEST_F(LocalFolderTest, NamesAFolderThatIsNone) {
  write("a.jpg", "");
  for (const Status& status :
       {list_local_folder(at("no")).status(), local_folder_modified_ns(at("no")).status()}) {
    EXPECT_EQ(status.code(), Code::kNotFound);
    EXPECT_EQ(status.message(), "no folder at " + at("no"));
  }
  for (const Status& status :
       {list_local_folder(at("a.jpg")).status(), local_folder_modified_ns(at("a.jpg")).status()}) {
    EXPECT_EQ(status.code(), Code::kNotFound);
    EXPECT_EQ(status.message(), at("a.jpg") + " is not a folder");
  }
}

}  // namespace
}  // namespace penstock::storage
