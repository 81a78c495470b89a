#include "penstock/source/shard_indexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penstock/source/testing.h"

namespace penstock::source {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::StartsWith;

struct Outcome {
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
    indexer.take(std::as_bytes(std::span(window)));
  }
  outcome.index = std::move(indexer).take_index();
  return outcome;
}

std::vector<std::string> strings(const StringColumn& column) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < column.size(); ++i) out.emplace_back(column[i]);
  return out;
}

// "offset key: message" of each damage.
std::vector<std::string> damages(const Outcome& outcome) {
  const DamageColumns& columns = outcome.index.damages;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    out.push_back(concat(columns.offsets[i], " ", columns.keys[i], ": ", columns.messages[i]));
  }
  return out;
}

TEST(ShardIndexerTest, GroupsMembersOfOneKey) {
  const Outcome outcome =
      index_shard(tar_of({{"d/cat.jpg", "meow"}, {"d/cat.cls", "3"}, {"d/dog.jpg", "woof!"}}));
  EXPECT_EQ(outcome.index.damages.size(), 0u);
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

TEST(ShardIndexerTest, KeepsTheFirstMemberOfAnExtensionThatComesTwice) {
  const Outcome outcome =
      index_shard(tar_of({{"a.jpg", "1"}, {"a.JPG", "2"}, {"a.jpg", "3"}, {"a.cls", "4"}}));
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("a"));
  EXPECT_THAT(outcome.index.part_offsets, ElementsAre(512u, 3584u));
  EXPECT_THAT(damages(outcome),
              ElementsAre("1024 a: sample a has two members with the extension jpg, the second at "
                          "byte 1536"));
}

// Shards of samples that all have jpg and cls. A member takes two blocks: "0.jpg" is at byte 0,
// "0.cls" at 1024, "1.jpg" at 2048 and so on.
class DamagedShardTest : public testing::Test {
 protected:
  static std::string shard_of(int num_samples) {
    std::vector<Member> members;
    for (int i = 0; i < num_samples; ++i) {
      members.emplace_back(concat(i, ".jpg"), "pixels");
      members.emplace_back(concat(i, ".cls"), "1");
    }
    return tar_of(members);
  }

  static void overwrite(std::string& shard, std::size_t begin, std::size_t end, char with = '#') {
    std::fill(shard.begin() + static_cast<std::ptrdiff_t>(begin),
              shard.begin() + static_cast<std::ptrdiff_t>(end), with);
  }
};

TEST_F(DamagedShardTest, LosesTheSampleThatIsCut) {
  const Outcome outcome = index_shard(shard_of(3).substr(0, 4096 + 515));
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("0", "1"));
  EXPECT_THAT(damages(outcome),
              ElementsAre("4096 2: member 2.jpg at byte 4096 needs 6 bytes, the shard has 3 left"));
}

TEST_F(DamagedShardTest, LosesTheMembersBeforeTheCutToo) {
  const Outcome outcome = index_shard(shard_of(2).substr(0, 3072 + 512));
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("0"));
  EXPECT_THAT(outcome.index.part_fields, ElementsAre(0, 1));
  EXPECT_THAT(damages(outcome),
              ElementsAre("3072 1: member 1.cls at byte 3072 needs 1 bytes, the shard has 0 left"));
}

TEST_F(DamagedShardTest, LosesTheSampleWhoseNextHeaderIsCut) {
  const Outcome outcome = index_shard(shard_of(2).substr(0, 3072 + 100));
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("0"));
  EXPECT_THAT(
      damages(outcome),
      ElementsAre("3072 1: the header at byte 3072 needs 512 bytes, the shard has 100 left"));
}

TEST_F(DamagedShardTest, LosesTheSampleThatIsCutBetweenItsMembers) {
  const Outcome outcome = index_shard(shard_of(3).substr(0, 5120));
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("0", "1"));
  EXPECT_THAT(damages(outcome), ElementsAre("5120 2: the shard ends at byte 5120, expected more "
                                            "members or two blocks of zeros"));
}

TEST_F(DamagedShardTest, AcceptsAShardWithoutZerosAtItsEnd) {
  const Outcome outcome = index_shard(shard_of(3).substr(0, 6144));
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("0", "1", "2"));
  EXPECT_TRUE(damages(outcome).empty());
}

TEST_F(DamagedShardTest, GoesOnBehindABrokenHeader) {
  std::string shard = shard_of(3);
  overwrite(shard, 2048 + 10, 2048 + 20);  // of 1.jpg
  const Outcome outcome = index_shard(shard);
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("0", "2"));
  EXPECT_THAT(outcome.index.part_offsets, ElementsAre(512u, 1536u, 4608u, 5632u));
  EXPECT_THAT(damages(outcome),
              ElementsAre("2048 1: no tar header at byte 2048, its checksum is wrong; the next "
                          "header is at byte 3072"));
}

TEST_F(DamagedShardTest, KeepsWholeSamplesOnBothSidesOfGarbage) {
  std::string shard = shard_of(4);
  overwrite(shard, 2048, 6144);  // samples 1 and 2
  const Outcome outcome = index_shard(shard);
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("0", "3"));
  EXPECT_THAT(damages(outcome),
              ElementsAre("2048 : no tar header at byte 2048, its checksum is wrong; the next "
                          "header is at byte 6144"));
}

TEST_F(DamagedShardTest, LosesBothSamplesThatGarbageReachesInto) {
  std::string shard = shard_of(4);
  overwrite(shard, 3072, 5120);  // 1.cls and 2.jpg
  const Outcome outcome = index_shard(shard);
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("0", "3"));
  EXPECT_THAT(damages(outcome), ElementsAre(StartsWith("3072 1: no tar header at byte 3072"),
                                            StartsWith("3072 2: no tar header at byte 3072")));
}

TEST_F(DamagedShardTest, LosesASampleWithGarbageInTheMiddle) {
  std::string shard = tar_of({{"a.jpg", ""}, {"a.txt", ""}, {"a.cls", ""}, {"b.jpg", ""}});
  overwrite(shard, 512, 600);
  const Outcome outcome = index_shard(shard);
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("b"));
  EXPECT_THAT(strings(outcome.index.fields), ElementsAre("jpg"));
  EXPECT_THAT(damages(outcome), ElementsAre(StartsWith("512 a: no tar header at byte 512")));
}

TEST_F(DamagedShardTest, KeepsASampleBesideGarbageIfOthersHaveItsFields) {
  std::string shard =
      tar_of({{"a.jpg", ""}, {"b.jpg", ""}, {"b.cls", ""}, {"c.jpg", ""}, {"d.jpg", ""}});
  overwrite(shard, 4 * 512, 4 * 512 + 9);  // d.jpg
  const Outcome outcome = index_shard(shard);
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("a", "b", "c"));
  EXPECT_THAT(damages(outcome), ElementsAre(StartsWith("2048 : no tar header at byte 2048")));
}

TEST_F(DamagedShardTest, FindsMembersBehindZeros) {
  std::string shard = shard_of(4);
  overwrite(shard, 2048, 4096, '\0');  // sample 1
  const Outcome outcome = index_shard(shard);
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("0", "2", "3"));
  EXPECT_THAT(damages(outcome),
              ElementsAre("2048 : the archive ends at byte 2048; the next header is at byte 4096"));
}

TEST_F(DamagedShardTest, LooksThroughMoreThanOneWindow) {
  std::string shard =
      tar_of({{"a.jpg", ""}, {"b.jpg", std::string(3'000'000, 'x')}, {"c.jpg", ""}});
  overwrite(shard, 512, 1024);
  const Outcome outcome = index_shard(shard);
  EXPECT_THAT(strings(outcome.index.keys), ElementsAre("a", "c"));
  EXPECT_THAT(damages(outcome), ElementsAre(EndsWith("the next header is at byte 3001344")));
}

TEST_F(DamagedShardTest, FindsNothingInWhatIsNoTar) {
  const Outcome outcome = index_shard(std::string(5000, 'x'));
  EXPECT_TRUE(outcome.index.keys.empty());
  EXPECT_THAT(damages(outcome),
              ElementsAre("0 : no tar header at byte 0, its checksum is wrong; no "
                          "header follows"));
}

TEST_F(DamagedShardTest, CountsDamagesBeyondAThousand) {
  std::vector<Member> members;
  for (int i = 0; i < 1002; ++i) {
    members.emplace_back(concat("s", i, ".jpg"), "");
    members.emplace_back(concat("s", i, ".jpg"), "");
  }
  const Outcome outcome = index_shard(tar_of(members));
  EXPECT_EQ(outcome.index.keys.size(), 1002u);
  ASSERT_EQ(outcome.index.damages.size(), 1001u);
  EXPECT_EQ(damages(outcome).back(), "1024512 : 2 more places are damaged from here on");
}

TEST_F(DamagedShardTest, GivesAnIndexThatDecodes) {
  const std::string good = shard_of(3);
  for (std::size_t begin = 0; begin < good.size(); begin += 512) {
    std::string shard = good;
    overwrite(shard, begin, begin + 512);
    const Outcome outcome = index_shard(shard);
    const auto decoded = decode_shard_index(encode_index(outcome.index));
    ASSERT_TRUE(decoded.ok()) << begin << ": " << decoded.status().message();
    EXPECT_EQ(*decoded, outcome.index);
  }
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
