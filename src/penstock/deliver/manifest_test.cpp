#include "penstock/deliver/manifest.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace penstock::deliver {
namespace {

const ManifestLine kCat{"train-3.tar", 17, "cat_17", "decode", "jpg: jpeg: truncated"};
const ManifestLine kGap{"train-4.tar", std::nullopt, "", "index", "no header, at byte 512"};

TEST(ManifestTest, ALineIsAnObject) {
  EXPECT_EQ(print_manifest_line(kCat),
            R"({"source":"train-3.tar","record":17,"key":"cat_17","stage":"decode",)"
            R"("message":"jpg: jpeg: truncated"})");
}

TEST(ManifestTest, GivesBackWhatWasPrinted) {
  const std::string text = print_manifest_line(kCat) + "\n" + print_manifest_line(kGap) + "\n";
  EXPECT_EQ(*parse_manifest(text), (std::vector{kCat, kGap}));
}

TEST(ManifestTest, PassesOverALastLineThatWasCut) {
  const std::string text = print_manifest_line(kCat) + "\n" + print_manifest_line(kGap);
  EXPECT_EQ(*parse_manifest(text), (std::vector{kCat, kGap}));
  EXPECT_EQ(*parse_manifest(text.substr(0, text.size() - 5)), (std::vector{kCat}));
}

TEST(ManifestTest, NamesTheLineThatIsWrong) {
  const std::string good = print_manifest_line(kCat) + "\n";
  EXPECT_EQ(parse_manifest(good + "nonsense\n" + good).status().message(),
            "manifest: line 2: not a JSON object");
  EXPECT_EQ(parse_manifest("{\"source\":1}\n").status().message(),
            "manifest: line 1: no text 'source'");
  EXPECT_EQ(parse_manifest(R"({"source":"","record":-1,"key":"","stage":"","message":""})"
                           "\n")
                .status()
                .message(),
            "manifest: line 1: record is not a whole number");
}

TEST(ManifestTest, NamesThatAreNotUtf8ArePrintable) {
  EXPECT_EQ(parse_manifest(print_manifest_line({"a\xff.tar", 1, "", "read", ""}))->size(), 1u);
}

class ManifestWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "manifest-XXXXXX").native();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ / "bad.jsonl"; }
  std::vector<ManifestLine> lines() const { return *read_manifest(path()); }

  std::filesystem::path folder_;
};

TEST_F(ManifestWriterTest, ListsASampleOnceAlsoWhenOpenedAgain) {
  for (int i = 0; i < 3; ++i) {
    auto writer = ManifestWriter::open(path());
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer->add(kCat).ok());
    ASSERT_TRUE(writer->add(kCat).ok());
  }
  EXPECT_EQ(lines(), (std::vector{kCat}));
}

TEST_F(ManifestWriterTest, GoesOnBehindALineThatWasCut) {
  std::ofstream(path()) << print_manifest_line(kCat) << "\n{\"source\":\"tr";
  auto writer = ManifestWriter::open(path());
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->add(kGap).ok());
  EXPECT_EQ(lines(), (std::vector{kCat, kGap}));
}

TEST_F(ManifestWriterTest, DoesNotAppendToAForeignFile) {
  std::ofstream(path()) << "my notes\nand more\n";
  EXPECT_EQ(ManifestWriter::open(path()).status().message(),
            path() + ": manifest: line 1: not a JSON object");
}

TEST_F(ManifestWriterTest, NamesAFileThatCannotBeWritten) {
  const Status status = ManifestWriter::open(folder_ / "no/where.jsonl").status();
  EXPECT_EQ(status.code(), Code::kIo);
  EXPECT_EQ(status.message(),
            (folder_ / "no/where.jsonl").native() + ": No such file or directory");
}

}  // namespace
}  // namespace penstock::deliver
