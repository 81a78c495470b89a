#include "penstock/format/tar_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "penstock/format/tar_reader.h"

namespace penstock::format {
namespace {

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The one record that a reader finds behind this header.
Record read_back(std::string_view name, std::uint64_t size) {
  const auto header = tar_header(name, size).value();
  TarReader reader(TarReader::kUnknownSize);
  return reader.next(header).value().value();
}

TEST(TarWriterTest, WritesAUstarBlock) {
  const std::string header = text_of(tar_header("a/cat.jpg", 1234).value());
  ASSERT_EQ(header.size(), 512u);
  EXPECT_EQ(header.substr(0, 10), std::string("a/cat.jpg\0", 10));
  EXPECT_EQ(header.substr(100, 8), std::string("0000644\0", 8));
  EXPECT_EQ(header.substr(108, 16), std::string("0000000\0000000000\0", 16));
  EXPECT_EQ(header.substr(124, 12), std::string("00000002322\0", 12));
  EXPECT_EQ(header.substr(136, 12), std::string("00000000000\0", 12));
  EXPECT_EQ(header.substr(148, 8), std::string("007435\0 ", 8));
  EXPECT_EQ(header[156], '0');
  EXPECT_EQ(header.substr(257, 8), std::string("ustar\00000", 8));
}

TEST(TarWriterTest, PutsALongPathIntoThePrefix) {
  const std::string name = std::string(120, 'd') + "/" + std::string(100, 'n');
  EXPECT_EQ(tar_header(name, 1).value().size(), 512u);
  EXPECT_EQ(read_back(name, 1), (Record{name, 512, 1}));
}

TEST(TarWriterTest, WritesAPaxHeaderForANameWithoutAPlaceToCut) {
  const std::string name(101, 'n');
  EXPECT_EQ(tar_header(name, 1).value().size(), 3u * 512);
  EXPECT_EQ(read_back(name, 1), (Record{name, 3 * 512, 1}));
}

TEST(TarWriterTest, WritesNamesOfEveryLength) {
  for (std::size_t length = 1; length < 1200; length += 7) {
    std::string name(length, 'n');
    for (std::size_t i = 40; i + 1 < length; i += 60) name[i] = '/';
    EXPECT_EQ(read_back(name, 5).name, name);
  }
}

TEST(TarWriterTest, WritesSizesOfEightGiBAndMore) {
  constexpr std::uint64_t kEightGiB = 8ull << 30;
  EXPECT_EQ(tar_header("x", kEightGiB - 1).value().size(), 512u);
  EXPECT_EQ(read_back("x", kEightGiB - 1).size, kEightGiB - 1);
  EXPECT_EQ(tar_header("x", kEightGiB).value().size(), 3u * 512);
  EXPECT_EQ(read_back("x", kEightGiB).size, kEightGiB);
}

TEST(TarWriterTest, RefusesNamesThatCannotBeRead) {
  EXPECT_EQ(tar_header("", 1).status(), invalid_argument("the member has no name"));
  EXPECT_EQ(tar_header(std::string_view("a\0b", 3), 1).status(),
            invalid_argument("the member's name holds a zero byte"));
}

TEST(TarWriterTest, PadsMembersToWholeBlocks) {
  EXPECT_EQ(tar_padding(0), 0u);
  EXPECT_EQ(tar_padding(1), 511u);
  EXPECT_EQ(tar_padding(512), 0u);
  std::vector<std::byte> archive;
  ASSERT_EQ(append_tar_member(archive, "x", std::as_bytes(std::span("abc", 3))), Status());
  ASSERT_EQ(archive.size(), 1024u);
  EXPECT_EQ(text_of(archive).substr(512, 4), std::string("abc\0", 4));
}

TEST(TarWriterTest, EndsWithTwoZeroBlocks) {
  const auto end = tar_end();
  EXPECT_EQ(end.size(), 1024u);
  EXPECT_TRUE(std::ranges::all_of(end, [](std::byte b) { return b == std::byte{0}; }));
}

}  // namespace
}  // namespace penstock::format
