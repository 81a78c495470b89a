#include "penstock/source/index.h"

#include <gtest/gtest.h>

#include "penstock/base/hash.h"

namespace penstock::source {
namespace {

StringColumn column(std::initializer_list<std::string_view> strings) {
  StringColumn out;
  for (const std::string_view string : strings) out.push_back(string);
  return out;
}

FolderIndex folder_index() {
  FolderIndex index;
  index.folders = column({"", "a", "a/b"});
  index.folder_times = {10, -20, 30};
  index.run_folders = {0, 2, 1};
  index.run_lengths = {1, 1, 2};
  index.names = column({"a.jpg", "x.jpg", "y.jpg", "z.jpg"});
  index.sizes_bytes = {1, 2, 3, std::uint64_t{1} << 40};
  return index;
}

ShardIndex shard_index() {
  ShardIndex index;
  index.shard_bytes = 10'000;
  index.shard_time = 5;
  index.fields = column({"jpg", "cls"});
  index.keys = column({"cat", "dog"});
  index.part_ends = {2, 3};
  index.part_fields = {0, 1, 0};
  index.part_offsets = {512, 2048, 9000};
  index.part_sizes = {1000, 1, 1000};
  index.damages.push_back(3000, "", "no tar header");
  index.damages.push_back(4000, "cow", "cut");
  return index;
}

// The message that decoding the encoded index ends with; empty if it succeeds.
std::string failure(const FolderIndex& index) {
  return std::string(decode_folder_index(encode_index(index)).status().message());
}
std::string failure(const ShardIndex& index) {
  return std::string(decode_shard_index(encode_index(index)).status().message());
}

// Puts the right checksum over bytes that were changed.
void seal(std::vector<std::byte>& bytes) {
  const std::uint64_t checksum = hash_bytes(Bytes(bytes).subspan(24));
  for (std::size_t i = 0; i < 8; ++i) bytes[16 + i] = static_cast<std::byte>(checksum >> (8 * i));
}

TEST(IndexTest, FolderComesBackAsItWas) {
  const auto decoded = decode_folder_index(encode_index(folder_index()));
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(*decoded, folder_index());
}

TEST(IndexTest, ShardComesBackAsItWas) {
  const auto decoded = decode_shard_index(encode_index(shard_index()));
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(*decoded, shard_index());
}

TEST(IndexTest, EmptyShardComesBackAsItWas) {
  const auto decoded = decode_shard_index(encode_index(ShardIndex{}));
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(*decoded, ShardIndex{});
}

TEST(IndexTest, HasTheBytesThatAreSpecified) {
  ShardIndex index;
  index.shard_bytes = 0x0102;
  const std::vector<std::byte> bytes = encode_index(index);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_EQ(text.substr(0, 8), "PENSTOCK");
  EXPECT_EQ(text.substr(8, 8), std::string_view("\2\0\0\0\2\0\0\0", 8));
  EXPECT_EQ(text.substr(24, 8), std::string_view("\2\1\0\0\0\0\0\0", 8));
  EXPECT_EQ(bytes.size(), 24u + 2 * 8 + 13 * 8);
}

TEST(IndexTest, RefusesEveryChangedByte) {
  const std::vector<std::byte> good = encode_index(folder_index());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::vector<std::byte> bad = good;
    bad[i] ^= std::byte{1};
    EXPECT_FALSE(decode_folder_index(bad).ok()) << "byte " << i;
  }
}

TEST(IndexTest, RefusesEveryCutFile) {
  const std::vector<std::byte> good = encode_index(shard_index());
  for (std::size_t length = 0; length < good.size(); ++length) {
    std::vector<std::byte> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(decode_shard_index(cut).ok()) << length << " bytes";
    if (length < 24) continue;
    seal(cut);
    EXPECT_EQ(decode_shard_index(cut).status().message(),
              "index: a column does not fit into the file")
        << length << " bytes";
  }
}

TEST(IndexTest, RefusesBytesBehindTheEnd) {
  std::vector<std::byte> bytes = encode_index(shard_index());
  bytes.push_back(std::byte{0});
  seal(bytes);
  EXPECT_EQ(decode_shard_index(bytes).status().message(),
            "index: a column does not fit into the file");
}

TEST(IndexTest, RefusesForeignFiles) {
  const std::string text = "this is no index of penstock at all";
  EXPECT_EQ(decode_folder_index(std::as_bytes(std::span(text))).status().message(),
            "index: not an index of penstock");
}

TEST(IndexTest, RefusesAnotherVersion) {
  std::vector<std::byte> bytes = encode_index(folder_index());
  bytes[8] = std::byte{9};
  const Status status = decode_folder_index(bytes).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_EQ(status.message(), "index: version 9, expected 2");
}

TEST(IndexTest, RefusesAnotherKind) {
  EXPECT_EQ(decode_shard_index(encode_index(folder_index())).status().message(),
            "index: of another kind");
}

TEST(IndexTest, RefusesAWrongChecksum) {
  std::vector<std::byte> bytes = encode_index(folder_index());
  bytes.back() ^= std::byte{1};
  EXPECT_EQ(decode_folder_index(bytes).status().message(), "index: wrong checksum");
}

TEST(IndexTest, RefusesFoldersThatLeadOut) {
  for (const std::string_view path : {"..", "a/../b", "/a", "a/", "a//b", ".x", "a/.x"}) {
    FolderIndex index = folder_index();
    index.folders = column({"", "a", path});
    EXPECT_EQ(failure(index), "index: a folder has no proper path") << path;
  }
}

TEST(IndexTest, RefusesNamesThatLeadOut) {
  FolderIndex index = folder_index();
  index.names = column({"a.jpg", "../x.jpg", "y.jpg", "z.jpg"});
  EXPECT_EQ(failure(index), "index: an image has no proper name");
}

TEST(IndexTest, RefusesImagesOutOfOrder) {
  FolderIndex index = folder_index();
  index.names = column({"a.jpg", "x.jpg", "z.jpg", "y.jpg"});
  EXPECT_EQ(failure(index), "index: images are not in path order");
  index = folder_index();
  index.run_folders = {0, 2, 0};
  index.names = column({"b.jpg", "x.jpg", "y.jpg", "z.jpg"});
  EXPECT_EQ(failure(index), "index: images are not in path order");
}

TEST(IndexTest, RefusesRunsThatDoNotAddUp) {
  FolderIndex index = folder_index();
  index.run_lengths = {1, 1, 1};
  EXPECT_EQ(failure(index), "index: an image lies in no run");
  index.run_lengths = {1, 1, 3};
  EXPECT_EQ(failure(index), "index: a run has no names");
  index.run_lengths = {1, 1, 0};
  EXPECT_EQ(failure(index), "index: a run has no names");
  index.run_lengths = {1, 1};
  EXPECT_EQ(failure(index), "index: runs and lengths differ in number");
}

TEST(IndexTest, RefusesRunsOfNoFolder) {
  FolderIndex index = folder_index();
  index.run_folders[1] = 3;
  EXPECT_EQ(failure(index), "index: a run has no folder");
}

TEST(IndexTest, RefusesFolderColumnsOfDifferentLength) {
  FolderIndex index = folder_index();
  index.sizes_bytes.pop_back();
  EXPECT_EQ(failure(index), "index: names and sizes differ in number");
  index = folder_index();
  index.folder_times.pop_back();
  EXPECT_EQ(failure(index), "index: folders and times differ in number");
}

TEST(IndexTest, RefusesPartsOutsideOfTheShard) {
  ShardIndex index = shard_index();
  index.part_sizes[2] = 1001;
  EXPECT_EQ(failure(index), "index: a part lies outside of the shard");
  index = shard_index();
  index.part_offsets[0] = ~std::uint64_t{0};
  EXPECT_EQ(failure(index), "index: a part lies outside of the shard");
}

TEST(IndexTest, RefusesPartsWithoutField) {
  ShardIndex index = shard_index();
  index.part_fields[0] = 2;
  EXPECT_EQ(failure(index), "index: a part has no field");
}

TEST(IndexTest, RefusesAFieldTwice) {
  ShardIndex index = shard_index();
  index.part_fields[1] = 0;
  EXPECT_EQ(failure(index), "index: a sample has a field twice");
  index = shard_index();
  index.fields = column({"jpg", "jpg"});
  EXPECT_EQ(failure(index), "index: a field stands twice");
}

TEST(IndexTest, RefusesSamplesWithoutParts) {
  ShardIndex index = shard_index();
  index.part_ends = {2, 2};
  EXPECT_EQ(failure(index), "index: a sample has no parts");
  index.part_ends = {2, 4};
  EXPECT_EQ(failure(index), "index: a sample has no parts");
  index.part_ends = {1, 2};
  EXPECT_EQ(failure(index), "index: a part belongs to no sample");
}

TEST(IndexTest, RefusesDamagesOutsideOfTheShard) {
  ShardIndex index = shard_index();
  index.damages.offsets[1] = 10'001;
  EXPECT_EQ(failure(index), "index: a damage lies outside of the shard");
}

TEST(IndexTest, RefusesDamageColumnsOfDifferentLength) {
  ShardIndex index = shard_index();
  index.damages.messages = column({"cut"});
  EXPECT_EQ(failure(index), "index: columns differ in length");
}

TEST(IndexTest, RefusesShardColumnsOfDifferentLength) {
  ShardIndex index = shard_index();
  index.part_ends = {3};
  EXPECT_EQ(failure(index), "index: columns differ in length");
  index = shard_index();
  index.part_sizes.push_back(1);
  EXPECT_EQ(failure(index), "index: columns differ in length");
}

}  // namespace
}  // namespace penstock::source
