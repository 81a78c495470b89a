#include "penstock/source/entry_point_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace penstock::source {
namespace {

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::vector<std::byte> file_of(const EntryPointPart& part) {
  std::vector<std::byte> file = part.head();
  file.insert(file.end(), part.body().begin(), part.body().end());
  return file;
}

EntryPointPart two_records() {
  EntryPointPart part;
  part.add(7, bytes_of("seven"));
  part.add(5, bytes_of("five!!"));
  return part;
}

Result<std::vector<EntryPointRecord>> read_table(Bytes file) {
  PENSTOCK_TRY_ASSIGN(const EntryPointHeader header, decode_entry_point_header(file, file.size()));
  return decode_entry_point_table(
      header, file.subspan(kEntryPointHeaderBytes, header.table_bytes()), file.size());
}

TEST(EntryPointFileTest, RecordsComeBackAsTheyWereAdded) {
  const EntryPointPart part = two_records();
  const std::vector<std::byte> file = file_of(part);
  EXPECT_EQ(file.size(), 24u + 2 * 12 + 4 + 5 + 4 + 6);
  EXPECT_EQ(file.size(), part.size_bytes());
  const auto records = read_table(file);
  ASSERT_TRUE(records.ok()) << records.status().message();
  EXPECT_EQ(*records, (std::vector<EntryPointRecord>{{7, 48, 5}, {5, 57, 6}}));
  EXPECT_EQ(*records, part.records());
  const auto bytes = checked_entry_points(Bytes(file).subspan(57, 10));
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  EXPECT_EQ(std::memcmp(bytes->data(), "five!!", 6), 0);
}

TEST(EntryPointFileTest, APartOfNoRecordsIsAHeader) {
  const std::vector<std::byte> file = file_of({});
  EXPECT_EQ(file.size(), kEntryPointHeaderBytes);
  EXPECT_TRUE(read_table(file).ok());
}

TEST(EntryPointFileTest, RejectsAnotherMagic) {
  std::vector<std::byte> file = file_of(two_records());
  file[3] = std::byte{0};
  EXPECT_EQ(read_table(file).status(),
            corrupt("entry points: byte 0 does not begin with PENENTRY"));
}

TEST(EntryPointFileTest, RejectsAnotherVersion) {
  std::vector<std::byte> file = file_of(two_records());
  file[8] = std::byte{2};
  EXPECT_EQ(read_table(file).status(),
            unsupported("entry points: version 2 at byte 8, expected 1"));
}

TEST(EntryPointFileTest, RejectsATableThatIsDamaged) {
  std::vector<std::byte> file = file_of(two_records());
  file[30] ^= std::byte{1};
  EXPECT_EQ(read_table(file).status(),
            corrupt("entry points: the table does not have the checksum that is at byte 16"));
}

TEST(EntryPointFileTest, RejectsMoreRecordsThanThereIsRoomFor) {
  std::vector<std::byte> file = file_of(two_records());
  file[12] = std::byte{200};
  EXPECT_EQ(read_table(file).status(),
            corrupt("entry points: 200 records at byte 12, expected fewer in 67 bytes"));
}

TEST(EntryPointFileTest, RejectsEveryPartThatIsCut) {
  const std::vector<std::byte> file = file_of(two_records());
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(read_table(Bytes(file).first(size)).ok()) << size;
  }
}

TEST(EntryPointFileTest, RejectsAPartWithBytesBehindItsRecords) {
  std::vector<std::byte> file = file_of(two_records());
  file.push_back({});
  EXPECT_EQ(read_table(file).status(),
            corrupt("entry points: the records end at byte 67, expected 68"));
}

TEST(EntryPointFileTest, RejectsARecordThatIsDamaged) {
  std::vector<std::byte> file = file_of(two_records());
  file[60] ^= std::byte{1};
  EXPECT_TRUE(read_table(file).ok());
  EXPECT_EQ(checked_entry_points(Bytes(file).subspan(57, 10)).status(),
            corrupt("entry points: a record does not have its checksum"));
}

TEST(EntryPointKeyTest, FollowsTheLastTwoNamesOfThePath) {
  const Piece piece{0, 512, 1000};
  const std::uint64_t key = entry_point_key("/data/train/cat/17.jpg", piece, "");
  EXPECT_EQ(entry_point_key("elsewhere/cat/17.jpg", piece, ""), key);
  EXPECT_EQ(entry_point_key("cat/17.jpg", piece, ""), key);
  EXPECT_NE(entry_point_key("/data/train/dog/17.jpg", piece, ""), key);
  EXPECT_NE(entry_point_key("17.jpg", piece, ""), key);
  EXPECT_EQ(entry_point_key("/17.jpg", piece, ""), entry_point_key("17.jpg", piece, ""));
}

TEST(EntryPointKeyTest, FollowsThePieceAndTheFeature) {
  const std::uint64_t key = entry_point_key("a/b", {0, 512, 1000}, "image");
  EXPECT_EQ(entry_point_key("a/b", {9, 512, 1000}, "image"), key);
  EXPECT_NE(entry_point_key("a/b", {0, 513, 1000}, "image"), key);
  EXPECT_NE(entry_point_key("a/b", {0, 512, 1001}, "image"), key);
  EXPECT_NE(entry_point_key("a/b", {0, 512, 1000}, "depth"), key);
}

// Kept in files, so that it may never change.
TEST(EntryPointKeyTest, IsTheSameInEveryVersion) {
  EXPECT_EQ(entry_point_key("cat/17.jpg", {0, 512, 1000}, "image"), 0xaabbce7d85cdfbeeu);
}

}  // namespace
}  // namespace penstock::source
