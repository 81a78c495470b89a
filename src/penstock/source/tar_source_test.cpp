#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <random>

#include "penstock/source/source.h"
#include "penstock/source/testing.h"
#include "penstock/source/testing_sources.h"

namespace penstock::source {
namespace {

using testing::ElementsAre;
using Objects = std::map<std::string, std::string, std::less<>>;

std::string gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::unique_ptr<Source> open(const storage::Storage& storage, const TarOptions& options) {
  return opened(make_tar_source(storage, options));
}

std::string failure(Objects objects, const TarOptions& options) {
  const auto storage = storage::make_memory_storage(std::move(objects));
  return std::string(make_tar_source(*storage, options).status().message());
}

// "shard offset key: message" of each damage.
std::vector<std::string> damages(const Source& source) {
  std::vector<std::string> out;
  for (const Damage& damage : source.damages()) {
    out.push_back(concat(damage.source, " ", damage.offset, " ", damage.key, ": ", damage.message));
  }
  return out;
}

// Bytes that do not compress.
std::string noise(int seed, std::size_t size) {
  std::string bytes(size, '\0');
  std::minstd_rand rng(static_cast<unsigned>(seed) + 1);
  for (char& byte : bytes) byte = static_cast<char>(rng() >> 8);
  return bytes;
}

const std::string kCats = tar_of({{"cat.jpg", "meow"}, {"cat.cls", "0"}, {"lion.jpg", "roar"}});
const std::string kDogs = tar_of({{"dog.cls", "1"}, {"dog.jpg", "woof"}, {"dog.txt", "good"}});

TEST(TarSourceTest, FindsSamplesOfAllShards) {
  const auto storage = storage::make_memory_storage({{"0.tar", kCats}, {"1.tar", kDogs}});
  const auto source = open(*storage, {.urls = {"{0..1}.tar"}});
  EXPECT_THAT(sample_names(*source), ElementsAre("0.tar: cat", "0.tar: lion", "1.tar: dog"));
  EXPECT_THAT(source->shard_sizes(), ElementsAre(2u, 1u));
}

TEST(TarSourceTest, FieldsAreAllExtensionsSorted) {
  const auto storage = storage::make_memory_storage({{"0.tar", kCats}, {"1.tar", kDogs}});
  const auto source = open(*storage, {.urls = {"*.tar"}});
  std::vector<std::string> names;
  for (const FieldInfo& field : source->fields()) {
    names.push_back(field.name);
    EXPECT_EQ(field.kind, FieldKind::kBytes);
  }
  EXPECT_THAT(names, ElementsAre("cls", "jpg", "txt"));
}

TEST(TarSourceTest, LocatesTheBytesOfAMember) {
  const auto storage = storage::make_memory_storage({{"0.tar", kCats}, {"1.tar", kDogs}});
  const auto source = open(*storage, {.urls = {"*.tar"}});
  EXPECT_EQ(content(*source, 0, 0), "0");
  EXPECT_EQ(content(*source, 1, 1), "roar");
  EXPECT_EQ(content(*source, 2, 1), "woof");
  EXPECT_EQ(content(*source, 2, 2), "good");
}

TEST(TarSourceTest, NamesTheSampleThatLacksAField) {
  const auto storage = storage::make_memory_storage({{"0.tar", kCats}});
  const auto source = open(*storage, {.urls = {"0.tar"}});
  const Status status = source->locate(1, 0).status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_EQ(status.message(), "no field cls, it has: jpg");
}

TEST(TarSourceTest, AcceptsAShardWithoutSamples) {
  const auto storage =
      storage::make_memory_storage({{"0.tar", tar_of({})}, {"1.tar", kDogs}, {"2.tar", ""}});
  const auto source = open(*storage, {.urls = {"*.tar"}});
  EXPECT_THAT(source->shard_sizes(), ElementsAre(0u, 1u, 0u));
  EXPECT_EQ(source->sample_name(0), "1.tar: dog");
}

TEST(TarSourceTest, RefusesNoSamplesAtAll) {
  EXPECT_EQ(failure({{"0.tar", tar_of({{"README", ""}})}, {"1.tar", ""}}, {.urls = {"*.tar"}}),
            "no samples in 2 shards, the first 0.tar, expected members such as cat.jpg and "
            "cat.cls");
}

TEST(TarSourceTest, TellsDamagesInTheOrderOfShards) {
  const auto storage = storage::make_memory_storage({{"0.tar", kCats},
                                                     {"1.tar", kDogs.substr(0, 2100)},
                                                     {"2.tar", tar_of({{"a.x", ""}, {"a.x", ""}})},
                                                     {"3.tar", std::string(2000, 'x')}});
  const auto source = open(*storage, {.urls = {"*.tar"}});
  EXPECT_THAT(source->shard_sizes(), ElementsAre(2u, 1u, 1u, 0u));
  EXPECT_THAT(
      damages(*source),
      ElementsAre("1.tar 2048 : the header at byte 2048 needs 512 bytes, the shard has 52 left",
                  "2.tar 512 a: sample a has two members with the extension x, the second at byte "
                  "1024",
                  "3.tar 0 : no tar header at byte 0, its checksum is wrong; no header follows"));
}

TEST(TarSourceTest, CleanShardsHaveNoDamages) {
  const auto storage = storage::make_memory_storage({{"0.tar", kCats}});
  EXPECT_TRUE(open(*storage, {.urls = {"0.tar"}})->damages().empty());
}

TEST(TarSourceTest, NamesTheFirstDamageIfNoSampleIsLeft) {
  EXPECT_EQ(failure({{"0.tar", ""}, {"1.tar", std::string(2000, 'x')}}, {.urls = {"*.tar"}}),
            "no samples in 2 shards, the first damage is 1.tar: no tar header at byte 0, its "
            "checksum is wrong; no header follows, expected members such as cat.jpg and cat.cls");
}

TEST(TarSourceTest, NamesTheShardThatIsMissing) {
  EXPECT_EQ(failure({{"0.tar", kCats}}, {.urls = {"{0..1}.tar"}}),
            "no file at 1.tar, which {0..1}.tar stands for");
}

TEST(TarSourceTest, ReadsMoreShardsThanAtOnce) {
  Objects objects;
  for (int i = 100; i < 150; ++i)
    objects[concat(i, ".tar")] = tar_of({{concat("s", i, ".jpg"), ""}});
  const auto storage = storage::make_memory_storage(std::move(objects));
  const auto source = open(*storage, {.urls = {"*.tar"}});
  EXPECT_EQ(source->num_samples(), 50u);
  EXPECT_EQ(source->sample_name(49), "149.tar: s149");
}

TEST(TarSourceTest, FingerprintFollowsSamplesNotThePlace) {
  const auto fingerprint = [](Objects objects) {
    const auto storage = storage::make_memory_storage(std::move(objects));
    return open(*storage, {.urls = {"**/*.tar"}})->fingerprint();
  };
  const std::uint64_t cats_dogs = fingerprint({{"0.tar", kCats}, {"1.tar", kDogs}});
  EXPECT_EQ(fingerprint({{"d/a.tar", kCats}, {"d/b.tar", kDogs}}), cats_dogs);
  EXPECT_NE(fingerprint({{"0.tar", kDogs}, {"1.tar", kCats}}), cats_dogs);
  EXPECT_NE(fingerprint({{"0.tar", kCats}}), cats_dogs);
}

TEST(TarSourceTest, TellsProgressInBytes) {
  const auto storage = storage::make_memory_storage({{"0.tar", kCats}, {"1.tar", kDogs}});
  IndexProgress last;
  const auto listen = [&](const IndexProgress& progress) {
    EXPECT_GE(progress.done, last.done);
    last = progress;
  };
  ASSERT_TRUE(make_tar_source(*storage, {.urls = {"*.tar"}}, listen).ok());
  EXPECT_EQ(last.done, kCats.size() + kDogs.size());
  EXPECT_EQ(last.total, kCats.size() + kDogs.size());
}

TEST(TarSourceTest, UnpacksCompressedShards) {
  const auto storage =
      storage::make_memory_storage({{"0.tgz", gzip(kCats)}, {"1.tar.zst", zstd(kDogs)}});
  const auto source = open(*storage, {.urls = {"0.tgz", "1.tar.zst"}, .cache_folder = "cache"});
  EXPECT_THAT(sample_names(*source), ElementsAre("0.tgz: cat", "0.tgz: lion", "1.tar.zst: dog"));
  EXPECT_EQ(content(*source, 1, 1), "roar");
  EXPECT_EQ(content(*source, 2, 2), "good");
  EXPECT_THAT(std::string(source->object_path(0)), testing::StartsWith("cache/unpacked/"));
}

TEST(TarSourceTest, UnpackingLeavesTheFingerprint) {
  const auto storage = storage::make_memory_storage({{"0.tgz", gzip(kCats)}, {"0.tar", kCats}});
  EXPECT_EQ(open(*storage, {.urls = {"0.tgz"}, .cache_folder = "cache"})->fingerprint(),
            open(*storage, {.urls = {"0.tar"}})->fingerprint());
}

TEST(TarSourceTest, RefusesCompressedShardsWithoutACacheFolder) {
  EXPECT_EQ(failure({{"0.tgz", gzip(kCats)}}, {.urls = {"0.tgz"}}),
            "0.tgz: compressed with gzip, expected a cache folder to unpack it into");
}

// The indexes of shards, kept from one start to the next.
class ShardIndexTest : public testing::Test {
 protected:
  ShardIndexTest() {
    folder_.write("data/0.tar", kCats);
    folder_.write("data/1.tar", kDogs);
  }

  // How many bytes are read to open shards, less those of the indexes and of the shards' magic.
  std::uint64_t shard_bytes_of_open(const std::string& pattern) {
    const std::uint64_t before = storage_.num_bytes_read;
    source_ =
        open(storage_, {.urls = {folder_.path(pattern)}, .cache_folder = folder_.path("cache")});
    return storage_.num_bytes_read - before;
  }

  TemporaryFolder folder_;
  CountingStorage storage_{storage::make_local_storage()};
  std::unique_ptr<Source> source_;
};

TEST_F(ShardIndexTest, SecondOpenReadsIndexesOnly) {
  EXPECT_GE(shard_bytes_of_open("data/*.tar"), kCats.size() + kDogs.size());
  const std::vector<std::string> names = sample_names(*source_);
  const std::uint64_t fingerprint = source_->fingerprint();
  const std::uint64_t index_bytes = folder_.read("data/.penstock/0.tar.index").size() +
                                    folder_.read("data/.penstock/1.tar.index").size();
  EXPECT_EQ(shard_bytes_of_open("data/*.tar"), index_bytes + 2 * 4);
  EXPECT_EQ(sample_names(*source_), names);
  EXPECT_EQ(source_->fingerprint(), fingerprint);
  EXPECT_EQ(content(*source_, 2, 2), "good");
}

TEST_F(ShardIndexTest, ReadsOnlyTheShardThatIsNew) {
  shard_bytes_of_open("data/*.tar");
  const std::string birds = tar_of({{"owl.jpg", "hoot"}});
  folder_.write("data/2.tar", birds);
  EXPECT_LT(shard_bytes_of_open("data/*.tar"), birds.size() + 1000);
  EXPECT_EQ(source_->num_samples(), 4u);
}

TEST_F(ShardIndexTest, ReadsAShardThatWasTouched) {
  shard_bytes_of_open("data/*.tar");
  const std::filesystem::path path = folder_.path("data/0.tar");
  std::filesystem::last_write_time(
      path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_GE(shard_bytes_of_open("data/*.tar"), kCats.size());
}

TEST_F(ShardIndexTest, ReadsAShardThatChangedItsSize) {
  shard_bytes_of_open("data/*.tar");
  const std::filesystem::path path = folder_.path("data/0.tar");
  const auto time = std::filesystem::last_write_time(path);
  folder_.write("data/0.tar", tar_of({{"lynx.jpg", "hiss"}}));
  std::filesystem::last_write_time(path, time);
  shard_bytes_of_open("data/*.tar");
  EXPECT_EQ(source_->sample_name(0), folder_.path("data/0.tar: lynx"));
}

TEST_F(ShardIndexTest, MakesADamagedIndexAnew) {
  shard_bytes_of_open("data/*.tar");
  std::string bytes = folder_.read("data/.penstock/0.tar.index");
  bytes.back() ^= 1;
  folder_.write("data/.penstock/0.tar.index", bytes);
  EXPECT_GE(shard_bytes_of_open("data/*.tar"), kCats.size());
  EXPECT_LT(shard_bytes_of_open("data/*.tar"), kCats.size());
}

TEST_F(ShardIndexTest, GoesToTheCacheIfTheFolderIsReadOnly) {
  storage_.read_only = folder_.path("data");
  EXPECT_GE(shard_bytes_of_open("data/*.tar"), kCats.size() + kDogs.size());
  EXPECT_FALSE(std::filesystem::exists(folder_.path("data/.penstock")));
  EXPECT_LT(shard_bytes_of_open("data/*.tar"), kCats.size());
}

TEST_F(ShardIndexTest, UnpacksAShardOnce) {
  folder_.write("data/0.tgz", gzip(kCats));
  shard_bytes_of_open("data/0.tgz");
  EXPECT_EQ(content(*source_, 0, 1), "meow");
  const std::uint64_t index_bytes =
      folder_
          .read(concat("cache/unpacked/.penstock/",
                       std::filesystem::path(source_->object_path(0)).filename().native(),
                       ".index"))
          .size();
  EXPECT_EQ(shard_bytes_of_open("data/0.tgz"), index_bytes + 4);
  EXPECT_EQ(content(*source_, 0, 1), "meow");
}

TEST_F(ShardIndexTest, UnpacksAShardThatChanged) {
  folder_.write("data/0.tgz", gzip(kCats));
  shard_bytes_of_open("data/0.tgz");
  folder_.write("data/0.tgz", gzip(kDogs));
  shard_bytes_of_open("data/0.tgz");
  EXPECT_EQ(source_->sample_name(0), folder_.path("data/0.tgz: dog"));
}

TEST_F(ShardIndexTest, UsesWhatStandsBeforeTheBreakOfACompressedShard) {
  std::vector<Member> members;
  for (int i = 0; i < 100; ++i) members.emplace_back(concat(i, ".txt"), noise(i, 2000));
  const std::string packed = gzip(tar_of(members));
  folder_.write("data/0.tgz", packed.substr(0, packed.size() / 2));
  shard_bytes_of_open("data/0.tgz");
  EXPECT_GT(source_->num_samples(), 45u);
  EXPECT_LT(source_->num_samples(), 50u);
  EXPECT_EQ(content(*source_, 0, 0), members[0].second);
  const std::vector<std::string> first = damages(*source_);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_THAT(first[0],
              testing::EndsWith(concat(": gzip: cut after ", packed.size() / 2, " bytes")));
  EXPECT_THAT(first[1], testing::HasSubstr(concat(" ", source_->num_samples(), ": member ")));
  shard_bytes_of_open("data/0.tgz");
  EXPECT_EQ(damages(*source_), first);
}

TEST_F(ShardIndexTest, TellsWhatTheDecompressorFound) {
  folder_.write("data/0.tar.zst", zstd(kCats.substr(0, 2048)) + "no frame of zstd");
  shard_bytes_of_open("data/0.tar.zst");
  EXPECT_THAT(sample_names(*source_), ElementsAre(testing::EndsWith(": cat")));
  EXPECT_THAT(
      damages(*source_),
      ElementsAre(testing::HasSubstr("0.tar.zst 2048 : zstd: Unknown frame descriptor at byte")));
}

TEST_F(ShardIndexTest, RemembersDamages) {
  folder_.write("data/0.tar", kCats.substr(0, 2048 + 512 + 1));
  shard_bytes_of_open("data/0.tar");
  const std::vector<std::string> first = damages(*source_);
  EXPECT_THAT(first, ElementsAre(testing::EndsWith("2048 lion: member lion.jpg at byte 2048 needs "
                                                   "4 bytes, the shard has 1 left")));
  EXPECT_LT(shard_bytes_of_open("data/0.tar"), 1000u);
  EXPECT_EQ(damages(*source_), first);
}

}  // namespace
}  // namespace penstock::source
