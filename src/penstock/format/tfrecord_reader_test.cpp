#include "penstock/format/tfrecord_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "penstock/format/testing.h"
#include "penstock/format/tfrecord_writer.h"

namespace penstock::format {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::byte> shard_of(const std::vector<std::string>& records) {
  std::vector<std::byte> shard;
  for (const std::string& record : records) append_tfrecord(shard, bytes_of(record));
  return shard;
}

struct Walk {
  std::vector<std::string> records;
  std::vector<std::string> damages;
};

// Everything that can be read, through windows of `window_size` bytes or what is needed.
Walk walk(Bytes shard, std::size_t window_size) {
  Walk result;
  TfrecordReader reader(shard.size());
  bool is_damaged = false;
  std::size_t size = window_size;
  while (true) {
    const Bytes rest = shard.subspan(reader.position());
    const Bytes window = rest.first(std::min(size, rest.size()));
    size = window_size;
    if (is_damaged) {
      const Status status = reader.resynchronise(window);
      is_damaged = status.code() == Code::kNeedMoreBytes;
      if (is_damaged) size = std::max<std::size_t>(size, reader.needed_bytes());
      continue;
    }
    const auto record = reader.next(window);
    if (record.status().code() == Code::kNeedMoreBytes) {
      EXPECT_LT(window.size(), reader.needed_bytes());
      size = reader.needed_bytes();
    } else if (!record.ok()) {
      result.damages.emplace_back(record.status().message());
      is_damaged = true;
    } else if (!record->has_value()) {
      return result;
    } else {
      const Bytes data = shard.subspan((*record)->offset, (*record)->size);
      result.records.emplace_back(reinterpret_cast<const char*>(data.data()), data.size());
    }
  }
}

TEST(TfrecordReaderTest, FindsRecordsInOrder) {
  const auto shard = shard_of({"first", "", "third one"});
  for (const std::size_t window : {0, 1, 12, 20, 1000}) {
    const Walk found = walk(shard, window);
    EXPECT_THAT(found.records, ElementsAre("first", "", "third one"));
    EXPECT_THAT(found.damages, IsEmpty());
  }
}

TEST(TfrecordReaderTest, AnEmptyShardHasNoRecords) {
  TfrecordReader reader(0);
  const auto record = reader.next({});
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(*record, std::nullopt);
}

TEST(TfrecordReaderTest, WantsHeadersOnly) {
  const auto shard = shard_of({std::string(100'000, 'x'), "second"});
  TfrecordReader reader(shard.size());
  EXPECT_EQ(reader.needed_bytes(), 12u);
  EXPECT_EQ(**reader.next(Bytes(shard).first(12)), (TfrecordSpan{12, 100'000}));
  EXPECT_EQ(reader.position(), 100'016u);
  EXPECT_EQ(**reader.next(Bytes(shard).subspan(100'016, 12)), (TfrecordSpan{100'028, 6}));
}

TEST(TfrecordReaderTest, ReadsOnBehindADamagedHeader) {
  auto shard = shard_of({"first", "second", "third", "fourth"});
  shard[21] ^= std::byte{1};  // in the header of the second
  for (const std::size_t window : {0, 1, 13, 30, 1000}) {
    const Walk found = walk(shard, window);
    EXPECT_THAT(found.records, ElementsAre("first", "third", "fourth"));
    EXPECT_THAT(found.damages,
                ElementsAre("no record at byte 21, the checksum of its length is wrong"));
  }
}

TEST(TfrecordReaderTest, ReadsOnBehindBytesThatWereLost) {
  auto shard = shard_of({"first", "second", "third", "fourth"});
  shard.erase(shard.begin() + 34, shard.begin() + 36);  // in the data of the second
  EXPECT_THAT(walk(shard, 1000).damages,
              ElementsAre("no record at byte 43, the checksum of its length is wrong"));
  EXPECT_THAT(walk(shard, 1000).records, ElementsAre("first", testing::_, "fourth"));
}

TEST(TfrecordReaderTest, ReadsOnBehindGarbageAtTheStart) {
  auto shard = shard_of({"first", "second"});
  shard.insert(shard.begin(), 5000, std::byte{7});
  EXPECT_THAT(walk(shard, 64).records, ElementsAre("first", "second"));
}

TEST(TfrecordReaderTest, NamesARecordThatIsCut) {
  const auto shard = shard_of({"first", "second"});
  const Bytes cut = Bytes(shard).first(shard.size() - 3);
  const Walk found = walk(cut, 1000);
  EXPECT_THAT(found.records, ElementsAre("first"));
  EXPECT_THAT(found.damages, ElementsAre("the record at byte 21 has 6 bytes and a checksum of 4, "
                                         "the shard has 7 left"));
}

TEST(TfrecordReaderTest, NamesAHeaderThatIsCut) {
  const auto shard = shard_of({"first", "second"});
  const Walk found = walk(Bytes(shard).first(25), 1000);
  EXPECT_THAT(found.records, ElementsAre("first"));
  EXPECT_THAT(found.damages, ElementsAre("the record at byte 21 has 4 bytes, expected 12 or more"));
}

TEST(TfrecordReaderTest, RefusesALengthBeyondEveryShard) {
  const auto header = tfrecord_header(~std::uint64_t{0} - 3);
  EXPECT_THAT(walk(header, 1000).damages,
              ElementsAre("the record at byte 0 has 18446744073709551612 bytes and a checksum of "
                          "4, the shard has 0 left"));
}

TEST(TfrecordReaderTest, ChecksTheData) {
  auto record = shard_of({"data"});
  const Bytes data_and_footer = Bytes(record).subspan(12);
  ASSERT_TRUE(checked_tfrecord(data_and_footer).ok());
  EXPECT_EQ(checked_tfrecord(data_and_footer)->size(), 4u);
  record[12] ^= std::byte{1};
  const Status status = checked_tfrecord(data_and_footer).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(), "crc32c of the record is 0x5155d213, expected 0x9e264888");
}

TEST(TfrecordReaderTest, RefusesDataWithoutAChecksum) {
  EXPECT_EQ(checked_tfrecord(bytes_of("abc")).status().message(),
            "the record has 3 bytes, expected 4 of a checksum at its end");
}

TEST(TfrecordWriterTest, WritesTheBytesOfTensorFlow) {
  // As tf.io.TFRecordWriter writes the record b"abc".
  const std::string expected(
      "\x03\0\0\0\0\0\0\0\xb0\x99\x49\x0e"
      "abc"
      "\x6e\x57\xf1\x21",
      19);
  const auto shard = shard_of({"abc"});
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(shard.data()), shard.size()), expected);
}

TEST(TfrecordCompressionTest, IsKnownByTheFirstBytes) {
  EXPECT_EQ(compression_of_tfrecords(bytes_of("\x1f\x8b\x08")), Compression::kGzip);
  EXPECT_EQ(compression_of_tfrecords(bytes_of("\x78\x9c\x03\x04\x05\x06\x07\x08")),
            Compression::kZlib);
  EXPECT_EQ(compression_of_tfrecords({}), Compression::kNone);
}

TEST(TfrecordCompressionTest, ARightHeaderIsNotCompressed) {
  const auto header = tfrecord_header(0x9c78);  // begins like zlib
  EXPECT_EQ(compression_of_tfrecords(header), Compression::kNone);
}

TEST(TfrecordCompressionTest, ADamagedHeaderIsNotCompressed) {
  auto header = tfrecord_header(0x9c78);
  header[8] ^= std::byte{1};
  EXPECT_EQ(compression_of_tfrecords(header), Compression::kNone);
}

}  // namespace
}  // namespace penstock::format
