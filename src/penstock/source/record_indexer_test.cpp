#include "penstock/source/record_indexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penstock/format/tfrecord_writer.h"

namespace penstock::source {
namespace {

using testing::ElementsAre;

std::vector<std::byte> shard_of(const std::vector<std::size_t>& sizes) {
  std::vector<std::byte> shard;
  for (const std::size_t size : sizes) {
    format::append_tfrecord(shard, std::vector(size, std::byte{'x'}));
  }
  return shard;
}

struct Indexed {
  RecordIndex index;
  std::uint64_t num_bytes = 0;  // that were wanted
};

Indexed index_shard(Bytes shard) {
  RecordIndexer indexer(shard.size());
  Indexed result;
  while (!indexer.is_done()) {
    result.num_bytes += indexer.wanted_bytes();
    indexer.take(shard.subspan(indexer.position(), indexer.wanted_bytes()));
  }
  result.index = std::move(indexer).take_index();
  return result;
}

TEST(RecordIndexerTest, FindsRecords) {
  const auto shard = shard_of({5, 0, 100});
  const RecordIndex index = index_shard(shard).index;
  EXPECT_EQ(index.shard_bytes, shard.size());
  EXPECT_THAT(index.offsets, ElementsAre(12u, 33u, 49u));
  EXPECT_THAT(index.sizes, ElementsAre(5u, 0u, 100u));
}

TEST(RecordIndexerTest, AnEmptyShardHasNone) { EXPECT_TRUE(index_shard({}).index.offsets.empty()); }

TEST(RecordIndexerTest, PassesOverLargeRecords) {
  const auto shard = shard_of(std::vector<std::size_t>(100, 100'000));
  const Indexed indexed = index_shard(shard);
  EXPECT_EQ(indexed.index.offsets.size(), 100u);
  EXPECT_LT(indexed.num_bytes, 600'000u);
}

TEST(RecordIndexerTest, ReadsOnBehindALargeDamage) {
  auto shard = shard_of({10, 3'000'000, 10, 200'000, 10});
  shard[26] ^= std::byte{1};
  const RecordIndex index = index_shard(shard).index;
  EXPECT_THAT(index.sizes, ElementsAre(10u, 10u, 200'000u, 10u));
  EXPECT_THAT(index.damages.offsets, ElementsAre(26u));
  EXPECT_EQ(index.damages.messages[0],
            "no record at byte 26, the checksum of its length is wrong; 3000016 bytes are passed "
            "over");
}

TEST(RecordIndexerTest, CountsDamagesBeyondAThousand) {
  auto shard = shard_of(std::vector<std::size_t>(3000, 4));
  for (std::size_t i = 0; i < 3000; i += 2) shard[i * 20] ^= std::byte{1};
  const RecordIndex index = index_shard(shard).index;
  EXPECT_EQ(index.offsets.size(), 1500u);
  ASSERT_EQ(index.damages.size(), 1001u);
  EXPECT_EQ(index.damages.offsets[1000], 40'000u);
  EXPECT_EQ(index.damages.messages[1000], "500 more places are damaged from here on");
}

}  // namespace
}  // namespace penstock::source
