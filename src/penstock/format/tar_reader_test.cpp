#include "penstock/format/tar_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "penstock/format/tar_writer.h"
#include "penstock/format/test_tar.h"

namespace penstock::format {
namespace {

struct Walked {
  std::vector<Record> records;
  Status status;
};

// Reads with windows of `window_size` bytes, or more where the reader asks for them.
Walked walk(std::string_view shard, std::size_t window_size = 1 << 20) {
  TarReader reader(shard.size());
  Walked walked;
  std::size_t size = window_size;
  for (;;) {
    EXPECT_LE(reader.position(), shard.size());
    auto record = reader.next(as_bytes(shard.substr(reader.position(), size)));
    if (!record.ok() && record.status().code() == Code::kNeedMoreBytes) {
      EXPECT_LE(reader.needed_bytes(), shard.size() - reader.position());
      size = std::max<std::size_t>(window_size, reader.needed_bytes());
      continue;
    }
    size = window_size;
    walked.status = record.status();
    if (!record.ok() || !record->has_value()) return walked;
    walked.records.push_back(**record);
  }
}

using Records = std::vector<Record>;

TEST(TarReaderTest, FindsWhereMembersLie) {
  const std::string shard = file("a.jpg", "12345") + file("a.cls", "7") + file("empty", "") + kEnd;
  EXPECT_EQ(walk(shard).records,
            (Records{{"a.jpg", 512, 5}, {"a.cls", 1536, 1}, {"empty", 2560, 0}}));
  EXPECT_EQ(walk(shard).status, Status());
}

TEST(TarReaderTest, NeedsNoWindowLongerThanAHeader) {
  const std::string shard = file("a", std::string(5000, 'x')) + file("b", "2") + kEnd;
  EXPECT_EQ(walk(shard, 512).records, (Records{{"a", 512, 5000}, {"b", 6144, 1}}));
  EXPECT_EQ(walk(shard, 1).records, (Records{{"a", 512, 5000}, {"b", 6144, 1}}));
}

TEST(TarReaderTest, AsksForMoreBytesWithoutMoving) {
  const std::string shard = file("a", "1") + kEnd;
  TarReader reader(shard.size());
  const Status status = reader.next(as_bytes(shard).first(511)).status();
  EXPECT_EQ(status, need_more_bytes("the header at byte 0 needs 512 bytes"));
  EXPECT_EQ(reader.position(), 0u);
  EXPECT_EQ(reader.needed_bytes(), 512u);
}

TEST(TarReaderTest, MovesBehindAMember) {
  const std::string shard = file("a", std::string(600, 'x')) + kEnd;
  TarReader reader(shard.size());
  EXPECT_EQ(reader.next(as_bytes(shard).first(512)).value()->name, "a");
  EXPECT_EQ(reader.position(), 1536u);
}

TEST(TarReaderTest, AnswersNothingAgainAndAgainAfterTheLastMember) {
  TarReader reader(kEnd.size());
  EXPECT_EQ(reader.next(as_bytes(kEnd)).value(), std::nullopt);
  EXPECT_EQ(reader.next({}).value(), std::nullopt);
}

TEST(TarReaderTest, AcceptsAnEndWithoutZeroBlocks) {
  EXPECT_EQ(walk("").status, Status());
  EXPECT_EQ(walk(file("a", "1")).status, Status());
  EXPECT_EQ(walk(file("a", "1") + kEnd.substr(512)).status, Status());
  EXPECT_EQ(walk(file("a", "1")).records, (Records{{"a", 512, 1}}));
}

TEST(TarReaderTest, AcceptsALastMemberWithoutPadding) {
  EXPECT_EQ(walk(file("a", "123").substr(0, 515)).records, (Records{{"a", 512, 3}}));
}

TEST(TarReaderTest, StopsAtTwoZeroBlocksWhateverFollows) {
  EXPECT_EQ(walk(file("a", "1") + kEnd + std::string(3000, '\7')).status, Status());
}

TEST(TarReaderTest, ReportsASingleZeroBlock) {
  EXPECT_EQ(walk(file("a", "1") + kEnd.substr(512) + file("b", "1")).status,
            corrupt("a single zero block at byte 1024, expected a header or two of them"));
}

TEST(TarReaderTest, ReportsAMemberThatIsCut) {
  const std::string shard = file("a", "") + file("cat_17.jpg", std::string(8192, 'x'));
  EXPECT_EQ(walk(shard.substr(0, 6024)).status,
            corrupt("member cat_17.jpg at byte 512 needs 8192 bytes, the shard has 5000 left"));
}

TEST(TarReaderTest, ReportsAHeaderThatIsCut) {
  EXPECT_EQ(walk(file("a", "").substr(0, 100)).status,
            corrupt("the header at byte 0 needs 512 bytes, the shard has 100 left"));
}

TEST(TarReaderTest, RejectsAWrongChecksum) {
  EXPECT_EQ(walk(file("a", "") + block({.name = "b", .checksum = "000001"})).status,
            corrupt("no tar header at byte 512, its checksum is wrong"));
  EXPECT_EQ(walk(block({.checksum = "garbage!"})).status.code(), Code::kCorrupt);
}

TEST(TarReaderTest, FailsAgainWhenAskedAgain) {
  const std::string shard = block({.checksum = "000001"});
  TarReader reader(shard.size());
  const Status first = reader.next(as_bytes(shard)).status();
  EXPECT_EQ(reader.next(as_bytes(shard)).status(), first);
}

TEST(TarReaderTest, AcceptsAChecksumOfSignedCharacters) {
  EXPECT_EQ(walk(block({.name = "\xe9t\xe9"}, true)).records, (Records{{"\xe9t\xe9", 512, 0}}));
}

TEST(TarReaderTest, RejectsGarbageSize) {
  EXPECT_EQ(walk(block({.name = "a", .size = "0000000009x"})).status,
            corrupt("member a at byte 0 has a garbage size"));
}

TEST(TarReaderTest, ReadsSizesWithBlanks) {
  EXPECT_EQ(walk(block({.name = "a", .size = "        12 "}) + std::string(512, 'x')).records,
            (Records{{"a", 512, 10}}));
}

TEST(TarReaderTest, ReadsSizesInBase256) {
  const std::string size("\x80\0\0\0\0\0\0\0\0\0\x01\x02", 12);
  EXPECT_EQ(walk(block({.name = "a", .size = size}) + std::string(512, 'x')).records,
            (Records{{"a", 512, 258}}));
}

TEST(TarReaderTest, RejectsSizesInBase256ThatMakeNoSense) {
  const Status garbage = corrupt("member a at byte 0 has a garbage size");
  EXPECT_EQ(walk(block({.name = "a", .size = std::string(12, '\xff')})).status, garbage);
  EXPECT_EQ(walk(block({.name = "a", .size = "\x80" + std::string(11, '\x7f')})).status, garbage);
}

TEST(TarReaderTest, ReportsASizeThatWouldOverflow) {
  const std::string size = std::string("\x80\0\0\0", 4) + "\x7f" + std::string(7, '\xff');
  EXPECT_EQ(walk(block({.name = "a", .size = size})).status,
            corrupt("member a at byte 0 needs 9223372036854775807 bytes, the shard has 0 left"));
}

TEST(TarReaderTest, PutsThePrefixBeforeTheName) {
  EXPECT_EQ(walk(block({.name = "x", .prefix = "some/folder"})).records,
            (Records{{"some/folder/x", 512, 0}}));
}

TEST(TarReaderTest, KnowsThatGnuHasNoPrefix) {
  EXPECT_EQ(
      walk(block({.name = "x", .magic = std::string("ustar  \0", 8), .prefix = "1234"})).records,
      (Records{{"x", 512, 0}}));
}

TEST(TarReaderTest, ReadsV7WithFoldersMarkedByASlash) {
  const std::string shard = block({.name = "folder/", .type = '\0', .magic = ""}) +
                            member({.name = "folder/x", .type = '\0', .magic = ""}, "1");
  EXPECT_EQ(walk(shard).records, (Records{{"folder/x", 1024, 1}}));
}

TEST(TarReaderTest, ReadsANameThatFillsItsField) {
  EXPECT_EQ(walk(block({.name = std::string(100, 'n')})).records,
            (Records{{std::string(100, 'n'), 512, 0}}));
}

TEST(TarReaderTest, PassesOverWhatIsNoRegularFile) {
  std::string shard;
  // Links and folders may claim a size, but no bytes follow.
  for (const char type : {'1', '2', '3', '4', '5', '6'}) {
    shard += block({.name = "other", .size = octal(1000), .type = type});
  }
  shard += member({.name = "unknown", .type = 'Z'}, "with bytes");
  shard += member({.name = "contiguous", .type = '7'}, "123");
  EXPECT_EQ(walk(shard + kEnd).records, (Records{{"contiguous", 9 * 512, 3}}));
}

TEST(TarReaderTest, RefusesSparseFiles) {
  EXPECT_EQ(walk(member({.name = "holes", .type = 'S'}, "")).status,
            unsupported("member holes at byte 0 is a sparse file, expected one packed without "
                        "--sparse"));
  const std::string pax = member({.type = 'x'}, "22 GNU.sparse.major=1\n");
  EXPECT_EQ(walk(pax + file("holes", "")).status.code(), Code::kUnsupported);
}

TEST(TarReaderTest, TakesNameAndSizeFromAPaxHeader) {
  const std::string pax = member({.type = 'x'},
                                 "13 path=long\n"
                                 "9 size=4\n"
                                 "15 mtime=12.25\n");
  const std::string shard = pax + block({.name = "short"}) + std::string(512, 'x') + kEnd;
  EXPECT_EQ(walk(shard).records, (Records{{"long", 1536, 4}}));
}

TEST(TarReaderTest, AppliesAPaxHeaderToOneMember) {
  const std::string shard = member({.type = 'x'}, "13 path=long\n") + file("a", "") + file("b", "");
  EXPECT_EQ(walk(shard).records, (Records{{"long", 1536, 0}, {"b", 2048, 0}}));
}

TEST(TarReaderTest, AppliesAGlobalPaxHeaderToTheRest) {
  const std::string shard = member({.type = 'g'},
                                   "9 size=0\n"
                                   "10 path=g\n") +
                            member({.type = 'x'}, "10 path=x\n") + file("a", "") + file("b", "");
  EXPECT_EQ(walk(shard).records, (Records{{"x", 2560, 0}, {"g", 3072, 0}}));
}

TEST(TarReaderTest, RejectsGarbageInAPaxHeader) {
  for (const char* line : {"nonsense", "5 x=1", "99 path=x\n", "0 path=x\n", "3 \n", "7 path\n",
                           "9 size=x\n", "99999999999999999999999 path=x\n", "10 size=-\n"}) {
    EXPECT_EQ(walk(member({.type = 'x'}, line) + file("a", "")).status.code(), Code::kCorrupt)
        << line;
  }
  EXPECT_EQ(walk(member({.type = 'x'},
                        "10 path=x\n"
                        "oops") +
                 file("a", ""))
                .status,
            corrupt("the pax header at byte 0 is garbage from its byte 10 on"));
}

TEST(TarReaderTest, TakesALongNameFromGnuHeaders) {
  const std::string name(300, 'n');
  const std::string shard = member({.name = "././@LongLink", .type = 'K'}, "a link's target") +
                            member({.name = "././@LongLink", .type = 'L'}, name + '\0') +
                            file(name.substr(0, 100), "1") + kEnd;
  EXPECT_EQ(walk(shard).records, (Records{{name, 5 * 512, 1}}));
  EXPECT_EQ(walk(shard, 512).records, (Records{{name, 5 * 512, 1}}));
}

TEST(TarReaderTest, RefusesAnEndlessExtendedHeader) {
  EXPECT_EQ(walk(block({.size = octal(1 << 21), .type = 'x'}) + std::string(1 << 21, 'x')).status,
            corrupt("the extended header at byte 0 has 2097152 bytes, expected at most 1048576"));
}

TEST(TarReaderTest, ReportsAnExtendedHeaderWithoutAMember) {
  EXPECT_EQ(walk(member({.type = 'L'}, "name") + kEnd).status,
            corrupt("the archive ends at byte 1024, after the extended header of a member"));
}

TEST(TarReaderTest, ReportsAnExtendedHeaderThatIsCut) {
  EXPECT_EQ(walk(member({.type = 'L'}, std::string(600, 'n')).substr(0, 1000)).status,
            corrupt("the header at byte 0 needs 1112 bytes, the shard has 1000 left"));
}

TEST(TarReaderTest, LearnsTheSizeOfAStreamAtItsEnd) {
  const std::string shard = file("a", "123");
  TarReader reader(TarReader::kUnknownSize);
  EXPECT_EQ(reader.next(as_bytes(shard)).value(), (Record{"a", 512, 3}));
  EXPECT_EQ(reader.next({}).status().code(), Code::kNeedMoreBytes);
  TarReader whole = reader;
  whole.end_at(shard.size());
  EXPECT_EQ(whole.next({}).value(), std::nullopt);
  TarReader without_padding = reader;
  without_padding.end_at(515);
  EXPECT_EQ(without_padding.next({}).value(), std::nullopt);
  TarReader cut = reader;
  cut.end_at(514);
  EXPECT_EQ(cut.next({}).status(),
            corrupt("the shard ends after 514 bytes, its last member after 515"));
}

// Whatever is cut off, the records are those of the beginning, and their bytes are there.
TEST(TarReaderTest, SurvivesEveryCut) {
  std::string shard = file("a.jpg", std::string(700, 'j'));
  shard += member({.type = 'x'}, "13 path=long\n") + file("b.jpg", std::string(1024, 'k'));
  shard += member({.type = 'L'}, std::string(600, 'n')) + file("c", "1") + kEnd;
  const Records all = walk(shard).records;
  ASSERT_EQ(all.size(), 3u);
  for (std::size_t size = 0; size < shard.size(); ++size) {
    const Walked walked = walk(std::string_view(shard).substr(0, size), 512);
    ASSERT_LE(walked.records.size(), all.size());
    for (std::size_t i = 0; i < walked.records.size(); ++i) {
      EXPECT_EQ(walked.records[i], all[i]);
      EXPECT_LE(all[i].offset + all[i].size, size);
    }
    // Without an error nothing is missing that the cut had reached into.
    if (walked.status.ok() && walked.records.size() < all.size() && !walked.records.empty()) {
      EXPECT_LE(size, (all[walked.records.size() - 1].offset + all[walked.records.size() - 1].size +
                       511) /
                          512 * 512);
    }
  }
}

TEST(TarReaderTest, SurvivesEveryFlippedByteOfAHeader) {
  const std::string shard = member({.type = 'x'}, "13 path=long\n") + file("a", "12345") + kEnd;
  std::mt19937 random(1);
  for (std::size_t i = 0; i < shard.size(); ++i) {
    std::string changed = shard;
    changed[i] = static_cast<char>(changed[i] ^ (1 + random() % 255));
    for (const Record& record : walk(changed).records) {
      EXPECT_LE(record.offset + record.size, shard.size());
    }
  }
}

TEST(TarReaderTest, ReadsWhatTheWriterWrites) {
  std::vector<std::byte> shard;
  ASSERT_EQ(append_tar_member(shard, "a.jpg", as_bytes("12345")), Status());
  ASSERT_EQ(append_tar_member(shard, std::string(200, 'n'), as_bytes("6")), Status());
  const auto end = tar_end();
  shard.insert(shard.end(), end.begin(), end.end());
  const std::string_view text(reinterpret_cast<const char*>(shard.data()), shard.size());
  EXPECT_EQ(walk(text).records, (Records{{"a.jpg", 512, 5}, {std::string(200, 'n'), 2560, 1}}));
}

}  // namespace
}  // namespace penstock::format
