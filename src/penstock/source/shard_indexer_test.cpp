#include "penstock/source/shard_indexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penstock/source/testing.h"

namespace penstock::source {
namespace {

using testing::ElementsAre;

struct Outcome {
  Status status;
  ShardIndex index;
  std::uint64_t num_bytes_read = 0;
  int num_reads = 0;
};

Outcome index_shard(std::string_view shard) {
  Outcome outcome;
  ShardIndexer indexer(shard.size());
  while (!indexer.is_done()) {
    const std::string_view window = shard.substr(indexer.position(), indexer.wanted_bytes());
    EXPECT_EQ(window.size(), indexer.wanted_bytes());
    outcome.num_bytes_read += window.size();
    ++outcome.num_reads;
    outcome.status = indexer.take(std::as_bytes(std::span(window)));
    if (!outcome.status.ok()) return outcome;
  }
  outcome.index = std::move(indexer).take_index();
  return outcome;
}

std::vector<std::string> strings(const StringColumn& column) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < column.size(); ++i) out.emplace_back(column[i]);
  return out;
}

TEST(ShardIndexerTest, GroupsMembersOfOneKey) {
  const Outcome outcome =
      index_shard(tar_of({{"d/cat.jpg", "meow"}, {"d/cat.cls", "3"}, {"d/dog.jpg", "woof!"}}));
  ASSERT_TRUE(outcome.status.ok()) << outcome.status.message();
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("d/cat", "d/dog"));
  EXPECT_THAT(strings(outcome.index.fields), ElementsAre("jpg", "cls"));
  EXPECT_THAT(outcome.index.part_ends, ElementsAre(2u, 3u));
  EXPECT_THAT(outcome.index.part_fields, ElementsAre(0, 1, 0));
  EXPECT_THAT(outcome.index.part_offsets, ElementsAre(512u, 1536u, 2560u));
  EXPECT_THAT(outcome.index.part_sizes, ElementsAre(4u, 1u, 5u));
}

TEST(ShardIndexerTest, BeginsASampleWhereTheKeyChanges) {
  const Outcome outcome = index_shard(tar_of({{"a.jpg", ""}, {"b.jpg", ""}, {"a.cls", ""}}));
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("a", "b", "a"));
}

TEST(ShardIndexerTest, KeepsLongExtensionsWholeAndInLowerCase) {
  const Outcome outcome = index_shard(tar_of({{"a.Seg.PNG", ""}}));
  EXPECT_THAT(strings(outcome.index.fields), ElementsAre("seg.png"));
}

TEST(ShardIndexerTest, PassesOverMembersWithoutExtension) {
  const Outcome outcome = index_shard(tar_of({{"README", ""}, {"a.jpg", ""}, {".b", ""}}));
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("a"));
}

TEST(ShardIndexerTest, FindsNothingInAnEmptyShard) {
  EXPECT_TRUE(index_shard("").index.keys.empty());
  EXPECT_TRUE(index_shard(tar_of({})).index.keys.empty());
}

TEST(ShardIndexerTest, RefusesAnExtensionTwice) {
  const Outcome outcome = index_shard(tar_of({{"a.jpg", "1"}, {"a.JPG", "2"}}));
  EXPECT_EQ(outcome.status.code(), Code::kCorrupt);
  EXPECT_EQ(outcome.status.message(),
            "sample a has two members with the extension jpg, the second at byte 1536");
}

TEST(ShardIndexerTest, NamesTheByteWhereAShardIsCut) {
  const std::string shard = tar_of({{"a.jpg", "1"}, {"b.jpg", std::string(2000, 'x')}});
  const Outcome outcome = index_shard(std::string_view(shard).substr(0, 2000));
  EXPECT_EQ(outcome.status.code(), Code::kCorrupt);
  EXPECT_EQ(outcome.status.message(),
            "member b.jpg at byte 1024 needs 2000 bytes, the shard has 464 left");
}

TEST(ShardIndexerTest, ReadsLittleOfLargeMembers) {
  std::vector<Member> members;
  for (int i = 0; i < 20; ++i) {
    members.emplace_back(concat(i, ".jpg"), std::string(500'000, 'x'));
    members.emplace_back(concat(i, ".cls"), "1");
  }
  const Outcome outcome = index_shard(tar_of(members));
  EXPECT_EQ(outcome.index.keys.size(), 20u);
  EXPECT_LT(outcome.num_bytes_read, 300'000u);  // of 10 MB
}

TEST(ShardIndexerTest, ReadsSmallMembersInLargeWindows) {
  std::vector<Member> members;
  for (int i = 0; i < 4000; ++i) members.emplace_back(concat(i, ".txt"), "x");
  const Outcome outcome = index_shard(tar_of(members));
  EXPECT_EQ(outcome.index.keys.size(), 4000u);
  EXPECT_LT(outcome.num_reads, 10);  // for 4 MB
}

}  // namespace
}  // namespace penstock::source
