// How a reader goes on behind a broken header.
#include <gtest/gtest.h>

#include <string>

#include "penstock/format/tar_reader.h"
#include "penstock/format/test_tar.h"

namespace penstock::format {
namespace {

// How a reader stands after its first failure.
TarReader failed_reader(std::string_view shard) {
  TarReader reader(shard.size());
  while (true) {
    const auto record = reader.next(as_bytes(shard.substr(reader.position())));
    if (!record.ok()) return reader;
    EXPECT_TRUE(record->has_value()) << "no failure";
    if (!record->has_value()) return reader;
  }
}

TEST(LostMemberTest, HasNoNameIfItsHeaderIsBroken) {
  const TarReader reader = failed_reader(file("a", "1") + std::string(512, '#') + file("b", "2"));
  EXPECT_EQ(reader.lost_name(), "");
  EXPECT_EQ(reader.position(), 1024u);
  EXPECT_EQ(reader.search_position(), 1536u);
}

TEST(LostMemberTest, HasTheNameOfAMemberThatIsCut) {
  const TarReader reader = failed_reader(file("cat.jpg", "meow").substr(0, 514));
  EXPECT_EQ(reader.lost_name(), "cat.jpg");
  EXPECT_EQ(reader.search_position(), 514u);
}

TEST(LostMemberTest, HasTheNameOfAMemberWithAGarbageSize) {
  const TarReader reader = failed_reader(block({.name = "cat.jpg", .size = "9"}) + kEnd);
  EXPECT_EQ(reader.lost_name(), "cat.jpg");
  EXPECT_EQ(reader.search_position(), 512u);
}

TEST(LostMemberTest, HasALongNameThatStoodBeforeABrokenHeader) {
  const std::string name = std::string(200, 'n') + ".jpg";
  const TarReader reader = failed_reader(member({.type = 'L'}, name) + std::string(512, '#'));
  EXPECT_EQ(reader.lost_name(), name);
}

TEST(LostMemberTest, IsFollowedByTheNextHeader) {
  const std::string shard = std::string(512, '#') + file("b", "2") + kEnd;
  TarReader reader = failed_reader(shard);
  reader.resume_at(512);
  const auto record = reader.next(as_bytes(std::string_view(shard).substr(512)));
  ASSERT_TRUE(record.ok()) << record.status().message();
  EXPECT_EQ(**record, (Record{"b", 1024, 1}));
}

TEST(LostMemberTest, LeavesNoLongNameBehind) {
  const std::string shard =
      member({.type = 'L'}, "long.jpg") + std::string(512, '#') + file("b", "");
  TarReader reader = failed_reader(shard);
  reader.resume_at(1536);
  const auto record = reader.next(as_bytes(std::string_view(shard).substr(1536)));
  ASSERT_TRUE(record.ok()) << record.status().message();
  EXPECT_EQ((*record)->name, "b");
}

TEST(TarHeaderTest, IsABlockWithARightChecksum) {
  EXPECT_TRUE(is_tar_header(as_bytes(block({}))));
  EXPECT_TRUE(is_tar_header(as_bytes(block({.type = 'x'}))));
  EXPECT_FALSE(is_tar_header(as_bytes(block({.checksum = "000123"}))));
  EXPECT_FALSE(is_tar_header(as_bytes(std::string(512, '\0'))));
  EXPECT_FALSE(is_tar_header(as_bytes(block({}).substr(0, 511))));
}

TEST(TarHeaderTest, HasFieldsThatMakeSense) {
  EXPECT_FALSE(is_tar_header(as_bytes(block({.name = ""}))));
  EXPECT_FALSE(is_tar_header(as_bytes(block({.size = "12x"}))));
  EXPECT_FALSE(is_tar_header(as_bytes(block({.type = '~'}))));
}

}  // namespace
}  // namespace penstock::format
