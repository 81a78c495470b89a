#include <gtest/gtest.h>

#include "penstock/source/index.h"

namespace penstock::source {
namespace {

RecordIndex record_index() {
  RecordIndex index;
  index.shard_bytes = 200;
  index.shard_time = 5;
  index.offsets = {12, 40, 110};
  index.sizes = {12, 0, 86};
  index.damages.push_back(50, "", "no record at byte 50");
  return index;
}

// The message that decoding the encoded index ends with; empty if it succeeds.
std::string failure(const RecordIndex& index) {
  return std::string(decode_record_index(encode_index(index)).status().message());
}

constexpr const char* kOutside = "index: a record lies outside of the shard or in another";

TEST(RecordIndexTest, ComesBackAsItWas) {
  const auto decoded = decode_record_index(encode_index(record_index()));
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(*decoded, record_index());
}

TEST(RecordIndexTest, EmptyComesBackAsItWas) { EXPECT_EQ(failure({}), ""); }

TEST(RecordIndexTest, RefusesAnotherKind) {
  EXPECT_EQ(decode_record_index(encode_index(ShardIndex{})).status().message(),
            "index: of another kind");
}

TEST(RecordIndexTest, RefusesRecordsOutsideOfTheShard) {
  RecordIndex index = record_index();
  index.sizes[2] = 87;
  EXPECT_EQ(failure(index), kOutside);
  index.sizes[2] = ~std::uint64_t{0};
  EXPECT_EQ(failure(index), kOutside);
  index.sizes[2] = 0;
  index.offsets[2] = ~std::uint64_t{0};
  EXPECT_EQ(failure(index), kOutside);
}

TEST(RecordIndexTest, RefusesRecordsInAnother) {
  RecordIndex index = record_index();
  index.offsets[1] = 39;
  EXPECT_EQ(failure(index), kOutside);
}

TEST(RecordIndexTest, RefusesARecordWithoutHeader) {
  RecordIndex index = record_index();
  index.offsets[0] = 11;
  EXPECT_EQ(failure(index), kOutside);
}

TEST(RecordIndexTest, RefusesDamagesOutsideOfTheShard) {
  RecordIndex index = record_index();
  index.damages.offsets[0] = 201;
  EXPECT_EQ(failure(index), "index: a damage lies outside of the shard");
}

TEST(RecordIndexTest, RefusesColumnsOfDifferentLength) {
  RecordIndex index = record_index();
  index.sizes.pop_back();
  EXPECT_EQ(failure(index), "index: columns differ in length");
  index = record_index();
  index.damages.messages = {};
  EXPECT_EQ(failure(index), "index: columns differ in length");
}

}  // namespace
}  // namespace penstock::source
