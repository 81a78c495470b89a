#include "penstock/source/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penstock::source {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Rows = std::vector<std::string>;

// "file=label@line" for each row, or the message of the failure.
Rows rows(const Result<LabelTable>& table) {
  if (!table.ok()) return {std::string(table.status().message())};
  Rows texts;
  for (std::size_t i = 0; i < table->files.size(); ++i) {
    texts.push_back(concat(table->files[i], '=', table->labels[i], '@', table->lines[i]));
  }
  return texts;
}

Rows csv(std::string_view text) { return rows(parse_csv_labels(text)); }
Rows json(std::string_view text) { return rows(parse_json_labels(text)); }

StringColumn column(std::initializer_list<std::string_view> strings) {
  StringColumn out;
  for (const std::string_view string : strings) out.push_back(string);
  return out;
}

Result<Labels> join(std::string_view text, const StringColumn& files) {
  PENSTOCK_TRY_ASSIGN(const LabelTable table, parse_csv_labels(text));
  return labels_of_files(table, files, 0);
}

TEST(CsvLabelsTest, ReadsRowsBelowAHeader) {
  EXPECT_THAT(csv("file,label\na.jpg,3\nb.jpg,4\n"), ElementsAre("a.jpg=3@2", "b.jpg=4@3"));
}

TEST(CsvLabelsTest, FindsColumnsByAnyOfTheirNames) {
  EXPECT_THAT(csv("id,Class,more,PATH\n1,cat,x,a.jpg"), ElementsAre("a.jpg=cat@2"));
  EXPECT_THAT(csv("filename,label\na.jpg,1"), ElementsAre("a.jpg=1@2"));
  EXPECT_THAT(csv("image,label\na.jpg,1"), ElementsAre("a.jpg=1@2"));
}

TEST(CsvLabelsTest, ReadsCarriageReturnsAndAByteOrderMark) {
  EXPECT_THAT(csv("\xEF\xBB\xBF"
                  "file,label\r\na.jpg,3\r\nb.jpg,\"4\"\r\n"),
              ElementsAre("a.jpg=3@2", "b.jpg=4@3"));
}

TEST(CsvLabelsTest, ReadsQuotedFields) {
  EXPECT_THAT(csv("file,label\n\"a,\"\"1\"\".jpg\",cat\n"), ElementsAre("a,\"1\".jpg=cat@2"));
}

TEST(CsvLabelsTest, CountsLinesWithinQuotes) {
  EXPECT_THAT(csv("file,label,note\na.jpg,1,\"two\nlines\"\nb.jpg,2,\n"),
              ElementsAre("a.jpg=1@2", "b.jpg=2@4"));
}

TEST(CsvLabelsTest, PassesOverBlankLinesAndBlanks) {
  EXPECT_THAT(csv("file, label\n\n a.jpg , 3 \n\r\n"), ElementsAre("a.jpg=3@3"));
}

TEST(CsvLabelsTest, TakesADotInFrontAway) {
  EXPECT_THAT(csv("file,label\n./a/b.jpg,3"), ElementsAre("a/b.jpg=3@2"));
}

TEST(CsvLabelsTest, RefusesAnEmptyTable) {
  EXPECT_THAT(csv(""), ElementsAre("empty, expected a header line such as file,label"));
}

TEST(CsvLabelsTest, NamesTheColumnThatIsMissing) {
  EXPECT_THAT(
      csv("a.jpg,3\n"),
      ElementsAre("line 1: no column named file, path, filename or image, found: a.jpg, 3"));
  EXPECT_THAT(csv("file,kind\n"),
              ElementsAre("line 1: no column named label or class, found: file, kind"));
}

TEST(CsvLabelsTest, NamesTheLineWithTooFewFields) {
  EXPECT_THAT(csv("file,label\na.jpg,1\nb.jpg\n"),
              ElementsAre("line 3: 1 fields, expected 2 as in the header"));
}

TEST(CsvLabelsTest, NamesTheLineWithoutFileOrLabel) {
  EXPECT_THAT(csv("file,label\n,1\n"), ElementsAre("line 2: no file name"));
  EXPECT_THAT(csv("file,label\na.jpg,\n"), ElementsAre("line 2: no label for a.jpg"));
}

TEST(CsvLabelsTest, RefusesWordsAmongNumbers) {
  EXPECT_THAT(csv("file,label\na.jpg,1\nb.jpg,l2\n"),
              ElementsAre("line 3: label is 'l2', expected an integer as on line 2"));
  EXPECT_THAT(csv("file,label\na.jpg,cat\nb.jpg,2\n"),
              ElementsAre("line 3: label is '2', expected a word as on line 2"));
}

TEST(CsvLabelsTest, RefusesNumbersAbove64Bits) {
  EXPECT_THAT(csv("file,label\na.jpg,9223372036854775808\n"),
              ElementsAre("line 2: label 9223372036854775808 does not fit into 64 bits"));
}

TEST(CsvLabelsTest, RefusesAnOpenQuote) {
  EXPECT_THAT(csv("file,label\n\"a.jpg,1\n"), ElementsAre("line 2: a quoted field is not closed"));
}

TEST(CsvLabelsTest, RefusesTextBehindAQuote) {
  EXPECT_THAT(csv("file,label\n\"a\"b,1\n"),
              ElementsAre("line 2: 'b' behind a closing quote, expected a comma"));
}

TEST(JsonLabelsTest, ReadsOneObjectALine) {
  EXPECT_THAT(
      json("{\"file\": \"a.jpg\", \"label\": 3}\n\n{\"label\": -4, \"path\": \"b.jpg\"}\r\n"),
      ElementsAre("a.jpg=3@1", "b.jpg=-4@3"));
}

TEST(JsonLabelsTest, TakesALabelInQuotesForAWord) {
  const auto table = parse_json_labels("{\"file\": \"a.jpg\", \"class\": \"747\"}");
  ASSERT_TRUE(table.ok());
  EXPECT_TRUE(table->has_words);
}

TEST(JsonLabelsTest, NamesTheLineThatIsNoObject) {
  EXPECT_THAT(json("{\"file\": \"a.jpg\", \"label\": 3}\n{\"file\": \n"),
              ElementsAre("line 2: no JSON object, expected {\"file\": , \"label\": }"));
  EXPECT_THAT(json("[1]"),
              ElementsAre("line 1: no JSON object, expected {\"file\": , \"label\": }"));
}

TEST(JsonLabelsTest, NamesTheMemberThatIsMissingOrOfAnotherType) {
  EXPECT_THAT(json("{\"label\": 3}"),
              ElementsAre("line 1: no member named file, path, filename or image"));
  EXPECT_THAT(json("{\"file\": \"a\"}"), ElementsAre("line 1: no member named label or class"));
  EXPECT_THAT(json("{\"file\": 3, \"label\": 3}"),
              ElementsAre("line 1: file is a number, expected a string"));
  EXPECT_THAT(json("{\"file\": \"a\", \"label\": 0.5}"),
              ElementsAre("line 1: label is a fraction, expected an integer or a string"));
  EXPECT_THAT(json("{\"file\": \"a\", \"label\": null}"),
              ElementsAre("line 1: label is a null, expected an integer or a string"));
}

TEST(JsonLabelsTest, RefusesNumbersAbove64Bits) {
  EXPECT_THAT(json("{\"file\": \"a\", \"label\": 18446744073709551615}"),
              ElementsAre("line 1: label 18446744073709551615 does not fit into 64 bits"));
}

TEST(LabelsOfFilesTest, TakesNumbersAsTheyAre) {
  const auto labels = join("file,label\nb.jpg,-1\na.jpg,7\n", column({"a.jpg", "b.jpg"}));
  ASSERT_TRUE(labels.ok());
  EXPECT_THAT(labels->numbers, ElementsAre(7, -1));
  EXPECT_THAT(labels->classes, IsEmpty());
}

TEST(LabelsOfFilesTest, NumbersWordsInSortedOrder) {
  const auto labels =
      join("file,label\na.jpg,dog\nb.jpg,cat\nc.jpg,dog\n", column({"a.jpg", "b.jpg", "c.jpg"}));
  ASSERT_TRUE(labels.ok());
  EXPECT_THAT(labels->numbers, ElementsAre(1, 0, 1));
  EXPECT_THAT(labels->classes, ElementsAre("cat", "dog"));
}

TEST(LabelsOfFilesTest, LooksBehindThePrefix) {
  const auto table = parse_csv_labels("file,label\nx/a.jpg,1\n");
  ASSERT_TRUE(table.ok());
  const auto labels = labels_of_files(*table, column({"/data/x/a.jpg"}), 6);
  ASSERT_TRUE(labels.ok()) << labels.status().message();
  EXPECT_THAT(labels->numbers, ElementsAre(1));
}

TEST(LabelsOfFilesTest, AcceptsARowTwice) {
  EXPECT_TRUE(join("file,label\na.jpg,1\na.jpg,1\n", column({"a.jpg"})).ok());
}

TEST(LabelsOfFilesTest, RefusesTwoLabelsForAFile) {
  const Status status = join("file,label\na.jpg,1\na.jpg,2\n", column({"a.jpg"})).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(), "line 3: a.jpg has label 2, but 1 on line 2");
}

TEST(LabelsOfFilesTest, NamesTheFileWithoutARow) {
  const Status status = join("file,label\na.jpg,1\n", column({"a.jpg", "b.jpg"})).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.message(), "no label for b.jpg");
}

TEST(LabelsOfFilesTest, NamesTheRowWithoutAFile) {
  const Status status = join("file,label\na.jpg,1\nz.jpg,1\n", column({"a.jpg"})).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.message(), "line 3: no image named z.jpg");
}

}  // namespace
}  // namespace penstock::source
