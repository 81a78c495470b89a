// The tar reader on archives made by the tar command, in each of its formats.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>

#include "penstock/format/tar_reader.h"
#include "penstock/format/tar_writer.h"

namespace penstock::format {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class GnuTarTest : public testing::TestWithParam<const char*> {
 protected:
  GnuTarTest() {
    std::string name = (fs::temp_directory_path() / "penstock-XXXXXX").native();
    root_ = mkdtemp(name.data());
  }
  ~GnuTarTest() override { fs::remove_all(root_); }

  // The archive of these files, with a folder and a link among them.
  std::string pack(const Files& files) const {
    for (const auto& [path, content] : files) {
      fs::create_directories((root_ / "in" / path).parent_path());
      std::ofstream(root_ / "in" / path, std::ios::binary) << content;
    }
    fs::create_symlink("nowhere", root_ / "in" / "link");
    const std::string command =
        concat("tar --format=", GetParam(), " --sort=name -cf ", (root_ / "out.tar").native(),
               " -C ", (root_ / "in").native(), " --transform='s,^\\./,,' .");
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return content_of(root_ / "out.tar");
  }

  fs::path root_;
};

INSTANTIATE_TEST_SUITE_P(Formats, GnuTarTest, testing::Values("v7", "ustar", "gnu", "pax"),
                         [](const auto& format) { return std::string(format.param); });

Files unpack(const std::string& shard) {
  const Bytes bytes = std::as_bytes(std::span(shard));
  TarReader reader(shard.size());
  Files files;
  for (;;) {
    const auto record = reader.next(bytes.subspan(reader.position()));
    EXPECT_TRUE(record.ok()) << record.status().message();
    if (!record.ok() || !record->has_value()) return files;
    files[(*record)->name] = shard.substr((*record)->offset, (*record)->size);
  }
}

TEST_P(GnuTarTest, ReadsShortNames) {
  const Files files{{"a.jpg", "12345"},
                    {"a.cls", ""},
                    {"folder/b.jpg", std::string(512, 'x')},
                    {"folder/deep/er/c.jpg", std::string(10'000, 'y')}};
  EXPECT_EQ(unpack(pack(files)), files);
}

TEST_P(GnuTarTest, ReadsNamesThatNeedThePrefix) {
  if (std::string_view(GetParam()) == "v7") GTEST_SKIP() << "v7 has no names above 99 bytes";
  const std::string folder = std::string(70, 'd') + "/" + std::string(60, 'e');
  const Files files{{folder + "/a.jpg", "1"}, {folder + "/" + std::string(90, 'b'), "2"}};
  EXPECT_EQ(unpack(pack(files)), files);
}

TEST_P(GnuTarTest, ReadsNamesAbove255Bytes) {
  const std::string_view format = GetParam();
  if (format == "v7" || format == "ustar") GTEST_SKIP() << "the format has no such names";
  const std::string folder = std::string(200, 'd') + "/" + std::string(200, 'e');
  const Files files{{std::string(150, 'a'), "1"}, {folder + "/b.jpg", "2"}, {"c", "3"}};
  EXPECT_EQ(unpack(pack(files)), files);
}

TEST_P(GnuTarTest, SurvivesRandomCuts) {
  const std::string shard =
      pack({{"a.jpg", std::string(700, 'x')}, {"b.jpg", "1"}, {"c/d.jpg", std::string(3000, 'y')}});
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const std::size_t size = i < 40 ? static_cast<std::size_t>(i) * 512 : random() % shard.size();
    if (size > shard.size()) continue;
    TarReader reader(size);
    const Bytes bytes = std::as_bytes(std::span(shard)).first(size);
    for (;;) {
      const auto record = reader.next(bytes.subspan(reader.position()));
      if (!record.ok()) {
        EXPECT_EQ(record.status().code(), Code::kCorrupt) << record.status().message();
        break;
      }
      if (!record->has_value()) break;
      EXPECT_LE((*record)->offset + (*record)->size, size);
    }
  }
}

class TarCommandTest : public GnuTarTest {};
INSTANTIATE_TEST_SUITE_P(Commands, TarCommandTest, testing::Values("tar"));

TEST_P(TarCommandTest, ListsWhatTheWriterWrites) {
  std::vector<std::byte> shard;
  const std::string long_name = std::string(150, 'd') + "/" + std::string(150, 'n');
  for (const std::string& name : {std::string("a.jpg"), std::string(101, 'b'), long_name}) {
    ASSERT_EQ(append_tar_member(shard, name, std::as_bytes(std::span("123", 3))), Status());
  }
  const auto end = tar_end();
  shard.insert(shard.end(), end.begin(), end.end());
  std::ofstream(root_ / "in.tar", std::ios::binary)
      .write(reinterpret_cast<const char*>(shard.data()),
             static_cast<std::streamsize>(shard.size()));
  const std::string command =
      concat("tar -tf ", (root_ / "in.tar").native(), " > ", (root_ / "names").native(), " 2>&1");
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(content_of(root_ / "names"),
            concat("a.jpg\n", std::string(101, 'b'), "\n", long_name, "\n"));
}

}  // namespace
}  // namespace penstock::format
