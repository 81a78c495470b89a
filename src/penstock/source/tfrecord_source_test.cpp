#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "penstock/format/example_writer.h"
#include "penstock/format/tfrecord_writer.h"
#include "penstock/source/source.h"
#include "penstock/source/testing.h"

namespace penstock::source {
namespace {

using format::Feature;
using format::FeatureKind;
using testing::ElementsAre;
using testing::IsEmpty;
using Objects = std::map<std::string, std::string, std::less<>>;

std::string deflated(std::string_view text, int window_bits) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
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

std::string shard_of(const std::vector<std::string>& records) {
  std::vector<std::byte> shard;
  for (const std::string& record : records) {
    format::append_tfrecord(shard, std::as_bytes(std::span(record)));
  }
  return {reinterpret_cast<const char*>(shard.data()), shard.size()};
}

// A sample with a label and a text.
std::string example(std::int64_t label, std::string_view text) {
  const std::vector<format::FeatureInput> features = {
      {"label", std::vector<std::int64_t>{label}},
      {"text", std::vector{std::as_bytes(std::span(text))}}};
  return format::encode_example(features).value();
}

const std::string kCats = shard_of({example(0, "meow"), example(0, "roar")});
const std::string kDogs = shard_of({example(1, "woof")});

std::unique_ptr<Source> open(const storage::Storage& storage, const TfrecordOptions& options) {
  auto source = make_tfrecord_source(storage, options);
  EXPECT_TRUE(source.ok()) << source.status().message();
  return source.ok() ? *std::move(source) : nullptr;
}

std::string failure(Objects objects, const TfrecordOptions& options) {
  const auto storage = storage::make_memory_storage(std::move(objects));
  return std::string(make_tfrecord_source(*storage, options).status().message());
}

std::string read_record(const Source& source, std::uint64_t sample) {
  const auto piece = source.locate(sample, 0);
  std::string bytes(piece->size_bytes, '\0');
  storage::ReadRequest request{.path = source.object_path(piece->object),
                               .offset = piece->offset,
                               .out = std::as_writable_bytes(std::span(bytes))};
  source.storage(piece->object)->read({&request, 1});
  EXPECT_TRUE(request.status.ok()) << request.status.message();
  return bytes;
}

// The label and the text of a sample, or the message of the failure. Fields 0 and 1 are label and
// text.
std::string content(const Source& source, std::uint64_t sample) {
  const std::string record = read_record(source, sample);
  const std::vector<int> fields = {0, 1};
  std::vector<Feature> features(2);
  const Status status = source.parse_record(0, std::as_bytes(std::span(record)), fields, features);
  if (!status.ok()) return std::string(status.message());
  std::vector<std::int64_t> label(1);
  std::vector<Bytes> text;
  EXPECT_EQ(read_values(features[0], label), Status{});
  EXPECT_EQ(read_values(features[1], text), Status{});
  return concat(label[0], ' ',
                std::string_view(reinterpret_cast<const char*>(text[0].data()), text[0].size()));
}

std::vector<std::string> contents(const Source& source) {
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < source.num_samples(); ++i) all.push_back(content(source, i));
  return all;
}

std::vector<std::string> field_texts(const Source& source) {
  std::vector<std::string> texts;
  for (const FieldInfo& field : source.fields()) {
    EXPECT_EQ(field.kind, FieldKind::kFeature);
    texts.push_back(concat(field.name, ' ', dtype_name(field.dtype), ' ', field.shape.text()));
  }
  return texts;
}

TEST(TfrecordSourceTest, FindsTheRecordsOfAllShards) {
  const auto storage = storage::make_memory_storage({{"0.tfrecord", kCats}, {"1.tfrecord", kDogs}});
  const auto source = open(*storage, {.urls = {"{0..1}.tfrecord"}});
  EXPECT_THAT(contents(*source), ElementsAre("0 meow", "0 roar", "1 woof"));
  EXPECT_THAT(source->shard_sizes(), ElementsAre(2u, 1u));
  EXPECT_THAT(source->damages(), IsEmpty());
}

TEST(TfrecordSourceTest, NumbersRecordsInTheirShard) {
  const auto storage = storage::make_memory_storage({{"0.tfrecord", kDogs}, {"1.tfrecord", kCats}});
  const auto source = open(*storage, {.urls = {"*.tfrecord"}});
  EXPECT_EQ(source->sample_name(2), "1.tfrecord: record 1");
  EXPECT_EQ(source->origin(2).source, "1.tfrecord");
  EXPECT_EQ(source->origin(2).record, 1u);
  EXPECT_EQ(source->origin(2).key, "");
}

TEST(TfrecordSourceTest, FieldsAreTheFeaturesOfTheFirstRecords) {
  const std::vector<format::FeatureInput> weight = {{"weight", std::vector<float>{1}}};
  const auto storage = storage::make_memory_storage(
      {{"0.tfrecord", ""},
       {"1.tfrecord", shard_of({example(0, "x"), format::encode_example(weight).value()})}});
  EXPECT_THAT(field_texts(*open(*storage, {.urls = {"*.tfrecord"}})),
              ElementsAre("label i64 scalar", "text u8 scalar", "weight f32 scalar"));
}

TEST(TfrecordSourceTest, FieldsAreWhatTheUserSays) {
  const auto storage = storage::make_memory_storage({{"0.tfrecord", kCats}});
  const auto source = open(
      *storage, {.urls = {"0.tfrecord"},
                 .features = {"text:bytes", "a:b:float[3,4]", "matrix:float[2x2]", "n:int64[5]"}});
  EXPECT_THAT(field_texts(*source),
              ElementsAre("text u8 scalar", "a:b f32 3x4", "matrix f32 2x2", "n i64 5"));
}

TEST(TfrecordSourceTest, RefusesFeaturesThatMakeNoSense) {
  for (const char* text : {"label", ":int64", "label:int32", "label:int64[", "label:int64[]",
                           "label:int64[0]", "label:int64[1,2,3,4,5]", "label:int64[a]"}) {
    EXPECT_EQ(failure({}, {.urls = {"0.tfrecord"}, .features = {text}}),
              concat("feature '", text,
                     "', expected name:int64, name:float or name:bytes, with a shape like [3x4] "
                     "behind it or none"));
  }
  EXPECT_EQ(failure({}, {.features = {"a:int64", "a:bytes"}}), "two features are named a");
}

TEST(TfrecordSourceTest, AFeatureThatARecordLacksIsMissing) {
  const auto storage = storage::make_memory_storage({{"0.tfrecord", kCats}});
  const auto source = open(*storage, {.urls = {"0.tfrecord"}, .features = {"other:int64"}});
  const std::string record = read_record(*source, 0);
  const std::vector<int> fields = {0};
  std::vector<Feature> features(1);
  ASSERT_EQ(source->parse_record(0, std::as_bytes(std::span(record)), fields, features), Status{});
  EXPECT_EQ(features[0].kind, FeatureKind::kMissing);
}

TEST(TfrecordSourceTest, NamesAFeatureOfAnotherKind) {
  const auto storage = storage::make_memory_storage({{"0.tfrecord", kCats}});
  const auto source =
      open(*storage, {.urls = {"0.tfrecord"}, .features = {"label:float", "text:bytes"}});
  EXPECT_EQ(content(*source, 0), "feature label is of kind int64, expected float");
}

TEST(TfrecordSourceTest, NoticesAWrongChecksum) {
  std::string shard = kCats;
  shard[20] ^= 1;
  const auto storage = storage::make_memory_storage({{"0.tfrecord", shard}});
  const auto source = open(*storage, {.urls = {"0.tfrecord"}});
  EXPECT_THAT(content(*source, 0), testing::MatchesRegex("crc32c of the record is 0x[0-9a-f]+, "
                                                         "expected 0x[0-9a-f]+"));
  EXPECT_EQ(content(*source, 1), "0 roar");
}

TEST(TfrecordSourceTest, BelievesDataIfToldTo) {
  std::string shard = kCats;
  shard[shard.find("meow")] = 'M';
  const auto storage = storage::make_memory_storage({{"0.tfrecord", shard}});
  const auto source = open(*storage, {.urls = {"0.tfrecord"}, .checks_crc = false});
  EXPECT_EQ(content(*source, 0), "0 Meow");
}

TEST(TfrecordSourceTest, ReadsOnBehindDamage) {
  std::string shard = kCats + kDogs;
  shard[0] ^= 1;
  const auto storage = storage::make_memory_storage({{"0.tfrecord", shard}});
  const auto source = open(*storage, {.urls = {"0.tfrecord"}});
  EXPECT_THAT(contents(*source), ElementsAre("0 roar", "1 woof"));
  ASSERT_EQ(source->damages().size(), 1u);
  EXPECT_EQ(source->damages()[0].source, "0.tfrecord");
  EXPECT_EQ(source->damages()[0].offset, 0u);
  EXPECT_EQ(source->damages()[0].message,
            "no record at byte 0, the checksum of its length is wrong; 52 bytes are passed over");
}

TEST(TfrecordSourceTest, NamesARecordThatIsCut) {
  const auto storage = storage::make_memory_storage(
      {{"0.tfrecord", kCats.substr(0, kCats.size() - 5)}, {"1.tfrecord", kDogs}});
  const auto source = open(*storage, {.urls = {"*.tfrecord"}});
  EXPECT_THAT(contents(*source), ElementsAre("0 meow", "1 woof"));
  ASSERT_EQ(source->damages().size(), 1u);
  EXPECT_EQ(source->damages()[0].message,
            "the record at byte 52 has 36 bytes and a checksum of 4, the shard has 35 left; 47 "
            "bytes are passed over");
}

TEST(TfrecordSourceTest, RefusesShardsWithoutRecords) {
  EXPECT_EQ(failure({{"0.tfrecord", ""}}, {.urls = {"0.tfrecord"}}),
            "no samples in 1 shards, the first 0.tfrecord, expected TFRecord files");
}

TEST(TfrecordSourceTest, NamesTheShardThatIsNoTfrecord) {
  EXPECT_EQ(
      failure({{"a.jpg", std::string(2000, 'x')}}, {.urls = {"a.jpg"}}),
      "no samples in 1 shards, the first damage is a.jpg: no record at byte 0, the checksum of its "
      "length is wrong; 2000 bytes are passed over, expected TFRecord files");
}

TEST(TfrecordSourceTest, NamesTheRecordThatIsNoExample) {
  EXPECT_EQ(failure({{"0.tfrecord", shard_of({"\x0a\x7f"})}}, {.urls = {"0.tfrecord"}}),
            "0.tfrecord: record 0: tf.Example at byte 0: damaged protobuf message: end of buffer "
            "exception");
  EXPECT_EQ(failure({{"0.tfrecord", shard_of({""})}}, {.urls = {"0.tfrecord"}}),
            "0.tfrecord: record 0: no features, expected a tf.Example");
}

TEST(TfrecordSourceTest, FingerprintFollowsRecordsNotThePlace) {
  const auto fingerprint = [](Objects objects) {
    const auto storage = storage::make_memory_storage(std::move(objects));
    return open(*storage, {.urls = {"**/*.tfrecord"}})->fingerprint();
  };
  const std::uint64_t cats_dogs = fingerprint({{"0.tfrecord", kCats}, {"1.tfrecord", kDogs}});
  EXPECT_EQ(fingerprint({{"d/a.tfrecord", kCats}, {"d/b.tfrecord", kDogs}}), cats_dogs);
  EXPECT_NE(fingerprint({{"0.tfrecord", kDogs}, {"1.tfrecord", kCats}}), cats_dogs);
  EXPECT_NE(fingerprint({{"0.tfrecord", kCats}}), cats_dogs);
}

TEST(TfrecordSourceTest, UnpacksGzipAndZlib) {
  const auto storage = storage::make_memory_storage(
      {{"0.tfrecord.gz", deflated(kCats, 15 + 16)}, {"1.tfrecord", deflated(kDogs, 15)}});
  const auto source = open(*storage, {.urls = {"*"}, .cache_folder = "cache"});
  EXPECT_THAT(contents(*source), ElementsAre("0 meow", "0 roar", "1 woof"));
  EXPECT_EQ(source->sample_name(0), "0.tfrecord.gz: record 0");
  EXPECT_THAT(std::string(source->object_path(0)),
              testing::MatchesRegex("cache/unpacked/[0-9a-f]+-0.tfrecord"));
}

TEST(TfrecordSourceTest, NamesACompressedShardThatIsCutInItsFirstRecord) {
  EXPECT_EQ(failure({{"0.tfrecord", deflated(kCats, 15).substr(0, 10)}},
                    {.urls = {"0.tfrecord"}, .cache_folder = "cache"}),
            "no samples in 1 shards, the first damage is 0.tfrecord: zlib: cut after 10 bytes, "
            "expected TFRecord files");
}

TEST(TfrecordSourceTest, UsesWhatStandsBeforeTheBreakOfACompressedShard) {
  const TemporaryFolder folder;
  folder.write("0.tfrecord.gz", deflated(kCats, 15 + 16) + "no gzip");
  const auto storage = storage::make_local_storage();
  for (const char* open_with : {"the shard", "the copy"}) {
    const auto source = open(
        *storage, {.urls = {folder.path("0.tfrecord.gz")}, .cache_folder = folder.path("cache")});
    EXPECT_THAT(contents(*source), ElementsAre("0 meow", "0 roar")) << open_with;
    ASSERT_EQ(source->damages().size(), 1u) << open_with;
    EXPECT_EQ(source->damages()[0].source, folder.path("0.tfrecord.gz"));
    EXPECT_EQ(source->damages()[0].offset, kCats.size());
    EXPECT_THAT(source->damages()[0].message, testing::StartsWith("gzip: incorrect header check"));
  }
}

TEST(TfrecordSourceTest, TellsTheBreakBeforeTheRecordThatItCuts) {
  const std::string shard = shard_of({example(0, "meow"), example(0, std::string(2000, 'x'))});
  const std::string packed = deflated(shard.substr(0, 100), 15);
  const auto storage = storage::make_memory_storage(
      {{"0.tfrecord", packed.substr(0, packed.size() - 4)}});  // without its checksum
  const auto source = open(*storage, {.urls = {"0.tfrecord"}, .cache_folder = "cache"});
  EXPECT_THAT(contents(*source), ElementsAre("0 meow"));
  ASSERT_EQ(source->damages().size(), 2u);
  EXPECT_THAT(source->damages()[0].message, testing::StartsWith("zlib: cut after "));
  EXPECT_EQ(source->damages()[0].offset, 100u);
  EXPECT_THAT(source->damages()[1].message, testing::StartsWith("the record at byte 52 has "));
}

TEST(TfrecordSourceTest, SecondOpenReadsIndexesAndFirstRecordsOnly) {
  const TemporaryFolder folder;
  std::string shard = kCats + kDogs;
  shard[0] ^= 1;
  folder.write("0.tfrecord", shard + shard_of({std::string(100'000, 'x')}));
  const CountingStorage storage(storage::make_local_storage());
  const TfrecordOptions options = {.urls = {folder.path("0.tfrecord")},
                                   .features = {"label:int64", "text:bytes"}};
  const auto first = open(storage, options);
  const std::uint64_t before = storage.num_bytes_read;
  const auto second = open(storage, options);
  const std::uint64_t index_bytes = folder.read(".penstock/0.tfrecord.index").size();
  EXPECT_EQ(storage.num_bytes_read - before, index_bytes + 12);
  EXPECT_EQ(second->num_samples(), 3u);
  EXPECT_EQ(second->fingerprint(), first->fingerprint());
  EXPECT_EQ(content(*second, 1), "1 woof");
  ASSERT_EQ(second->damages().size(), 1u);
  EXPECT_EQ(second->damages()[0].message, first->damages()[0].message);
}

}  // namespace
}  // namespace penstock::source
