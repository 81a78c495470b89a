#include "penstock/storage/file_writer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

namespace penstock::storage {
namespace {

class FileWriterTest : public testing::Test {
 protected:
  FileWriterTest() {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-XXXXXX").native();
    root_ = mkdtemp(name.data());
  }
  ~FileWriterTest() override { std::filesystem::remove_all(root_); }

  std::string at(std::string_view name) const { return concat(root_, '/', name); }
  std::string read(std::string_view name) const {
    std::ifstream file(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::unique_ptr<ObjectWriter> make(std::string_view name) const {
    auto writer = make_file_writer(at(name));
    EXPECT_TRUE(writer.ok()) << writer.status().message();
    return *std::move(writer);
  }

  std::string root_;
};

Bytes bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST_F(FileWriterTest, WritesPiecesOneAfterTheOther) {
  const auto writer = make("a/b/x.tar");
  EXPECT_TRUE(writer->append(bytes("one ")).ok());
  EXPECT_TRUE(writer->append(bytes("two")).ok());
  EXPECT_TRUE(writer->commit().ok());
  EXPECT_EQ(read("a/b/x.tar"), "one two");
}

TEST_F(FileWriterTest, ShowsNothingBeforeTheCommit) {
  const auto writer = make("x.tar");
  EXPECT_TRUE(writer->append(bytes("one")).ok());
  EXPECT_FALSE(std::filesystem::exists(at("x.tar")));
}

TEST_F(FileWriterTest, ReplacesWhatWasThere) {
  std::ofstream(at("x.tar")) << "old";
  const auto writer = make("x.tar");
  EXPECT_TRUE(writer->append(bytes("new")).ok());
  EXPECT_EQ(read("x.tar"), "old");
  EXPECT_TRUE(writer->commit().ok());
  EXPECT_EQ(read("x.tar"), "new");
}

TEST_F(FileWriterTest, LeavesNothingWithoutACommit) {
  make("x.tar")->append(bytes("one")).ok();
  EXPECT_TRUE(std::filesystem::is_empty(root_));
}

TEST_F(FileWriterTest, NamesAFolderThatCannotBeMade) {
  std::ofstream(at("file")) << "";
  const Status status = make_file_writer(at("file/x.tar")).status();
  EXPECT_EQ(status.code(), Code::kIo);
  EXPECT_TRUE(status.message().starts_with(at("file"))) << status.message();
}

}  // namespace
}  // namespace penstock::storage
