#include "penstock/source/urls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penstock/source/testing.h"

namespace penstock::source {
namespace {

using testing::ElementsAre;
using Texts = std::vector<std::string>;

Texts numbers(std::string_view url) {
  auto expanded = expand_numbers(url);
  return expanded.ok() ? *expanded : Texts{std::string(expanded.status().message())};
}

// Paths, or the message of the failure.
Texts expand(const storage::Storage& storage, const Texts& urls) {
  const auto objects = expand_urls(storage, urls);
  if (!objects.ok()) return {std::string(objects.status().message())};
  Texts paths;
  for (const storage::ObjectInfo& object : *objects) paths.push_back(object.path);
  return paths;
}

std::unique_ptr<storage::Storage> storage_with(const Texts& paths) {
  std::map<std::string, std::string, std::less<>> objects;
  for (const std::string& path : paths) objects[path] = "x";
  return storage::make_memory_storage(std::move(objects));
}

TEST(ExpandNumbersTest, KeepsAPathWithoutBraces) {
  EXPECT_THAT(numbers("a/b.tar"), ElementsAre("a/b.tar"));
}

TEST(ExpandNumbersTest, KeepsTheZerosOfARange) {
  EXPECT_THAT(numbers("t-{008..011}.tar"),
              ElementsAre("t-008.tar", "t-009.tar", "t-010.tar", "t-011.tar"));
}

TEST(ExpandNumbersTest, PadsNothingWithoutZeros) {
  EXPECT_THAT(numbers("{9..11}"), ElementsAre("9", "10", "11"));
}

TEST(ExpandNumbersTest, CountsDown) {
  EXPECT_THAT(numbers("{02..0}"), ElementsAre("02", "01", "00"));
}

TEST(ExpandNumbersTest, TakesOneNumberForARange) {
  EXPECT_THAT(numbers("a{5..5}"), ElementsAre("a5"));
}

TEST(ExpandNumbersTest, ExpandsLists) {
  EXPECT_THAT(numbers("{val,train}/x.tar"), ElementsAre("val/x.tar", "train/x.tar"));
}

TEST(ExpandNumbersTest, ExpandsAnEmptyAlternative) {
  EXPECT_THAT(numbers("x{,-b}.tar"), ElementsAre("x.tar", "x-b.tar"));
}

TEST(ExpandNumbersTest, ExpandsSeveralBracesFirstOneSlowest) {
  EXPECT_THAT(numbers("{a,b}{0..1}"), ElementsAre("a0", "a1", "b0", "b1"));
}

TEST(ExpandNumbersTest, ExpandsBracesInBraces) {
  EXPECT_THAT(numbers("{a,b{0..1}c}"), ElementsAre("a", "b0c", "b1c"));
}

TEST(ExpandNumbersTest, KeepsBracesThatAreNoGroup) {
  EXPECT_THAT(numbers("{abc}{"), ElementsAre("{abc}{"));
}

TEST(ExpandNumbersTest, KeepsARangeOfWords) {
  EXPECT_THAT(numbers("{a..c}"), ElementsAre("{a..c}"));
}

TEST(ExpandNumbersTest, RefusesMoreThanAMillion) {
  EXPECT_THAT(numbers("{0..1000000}"), ElementsAre("stands for more than 1000000 paths"));
  EXPECT_THAT(numbers("{0..999}{0..1000}"), ElementsAre("stands for more than 1000000 paths"));
  EXPECT_THAT(numbers("{0..18446744073709551615}"),
              ElementsAre("stands for more than 1000000 paths"));
}

TEST(ExpandNumbersTest, RefusesBracesTooDeep) {
  EXPECT_THAT(numbers(std::string(100, '{') + "a,b" + std::string(100, '}')),
              ElementsAre("braces lie more than 64 deep"));
}

TEST(ExpandNumbersTest, CountsFromZeroBehindAnAt) {
  EXPECT_THAT(numbers("t-@003.tgz"), ElementsAre("t-000.tgz", "t-001.tgz", "t-002.tgz"));
}

TEST(ExpandNumbersTest, CountsAtFullWidth) {
  const Texts paths = numbers("name-@001000.tgz");
  ASSERT_EQ(paths.size(), 1000u);
  EXPECT_EQ(paths.front(), "name-000000.tgz");
  EXPECT_EQ(paths.back(), "name-000999.tgz");
}

TEST(ExpandNumbersTest, KeepsAnAtInAFolder) {
  EXPECT_THAT(numbers("me@2024/t.tar"), ElementsAre("me@2024/t.tar"));
}

TEST(ExpandNumbersTest, KeepsAnAtWithoutDigits) {
  EXPECT_THAT(numbers("a@b.tar"), ElementsAre("a@b.tar"));
}

TEST(ExpandNumbersTest, RefusesACountOfNothing) {
  EXPECT_THAT(numbers("t-@000.tar"),
              ElementsAre("counts no shards, expected 1 or more behind the @"));
}

TEST(MatchesNameTest, StarTakesAnyNumberOfCharacters) {
  EXPECT_TRUE(matches_name("a*c", "ac"));
  EXPECT_TRUE(matches_name("a*c", "abcabc"));
  EXPECT_FALSE(matches_name("a*c", "abcd"));
  EXPECT_TRUE(matches_name("*", "x"));
}

TEST(MatchesNameTest, SeveralStarsFindTheirPlaces) {
  EXPECT_TRUE(matches_name("*a*b*", "xxaxxbxx"));
  EXPECT_FALSE(matches_name("*a*b*", "xxbxxaxx"));
}

TEST(MatchesNameTest, QuestionMarkTakesOneCharacter) {
  EXPECT_TRUE(matches_name("a?c", "abc"));
  EXPECT_FALSE(matches_name("a?c", "ac"));
}

TEST(MatchesNameTest, SetTakesOneOfItsCharacters) {
  EXPECT_TRUE(matches_name("[a-c]x", "bx"));
  EXPECT_FALSE(matches_name("[a-c]x", "dx"));
  EXPECT_TRUE(matches_name("[!a-c]x", "dx"));
  EXPECT_FALSE(matches_name("[^a-c]x", "bx"));
  EXPECT_TRUE(matches_name("[]]", "]"));
  EXPECT_TRUE(matches_name("[a-]", "-"));
}

TEST(MatchesNameTest, OpenBracketWithoutEndStandsForItself) {
  EXPECT_TRUE(matches_name("a[b", "a[b"));
  EXPECT_FALSE(matches_name("a[b", "ab"));
}

TEST(MatchesNameTest, DotInFrontIsMatchedOnlyByADot) {
  EXPECT_FALSE(matches_name("*", ".hidden"));
  EXPECT_FALSE(matches_name("?x", ".x"));
  EXPECT_TRUE(matches_name(".*", ".hidden"));
}

TEST(ExpandUrlsTest, KeepsTheOrderGiven) {
  const auto storage = storage_with({"a.tar", "b.tar"});
  EXPECT_THAT(expand(*storage, {"b.tar", "a.tar"}), ElementsAre("b.tar", "a.tar"));
}

TEST(ExpandUrlsTest, SortsWhatAPatternMatches) {
  const auto storage = storage_with({"d/b.tar", "d/a.tar", "d/c.txt", "d/e/f.tar"});
  EXPECT_THAT(expand(*storage, {"d/*.tar"}), ElementsAre("d/a.tar", "d/b.tar"));
}

TEST(ExpandUrlsTest, MatchesFoldersToo) {
  const auto storage = storage_with({"d/a/x.tar", "d/b/x.tar", "d/b/y.tar", "d/x.tar"});
  EXPECT_THAT(expand(*storage, {"d/*/x.tar"}), ElementsAre("d/a/x.tar", "d/b/x.tar"));
}

TEST(ExpandUrlsTest, TwoStarsReachAnyDepth) {
  const auto storage = storage_with({"d/a/b/x.tar", "d/x.tar", "d/a/y.txt"});
  EXPECT_THAT(expand(*storage, {"d/**/*.tar"}), ElementsAre("d/a/b/x.tar", "d/x.tar"));
  EXPECT_THAT(expand(*storage, {"d/**"}), ElementsAre("d/a/b/x.tar", "d/a/y.txt", "d/x.tar"));
}

TEST(ExpandUrlsTest, TwoStarsTwiceMatchEachFileOnce) {
  const auto storage = storage_with({"d/a/b/x.tar"});
  EXPECT_THAT(expand(*storage, {"d/**/**/*.tar"}), ElementsAre("d/a/b/x.tar"));
}

TEST(ExpandUrlsTest, MatchesFromTheBeginningOfPaths) {
  const auto storage = storage_with({"a.tar", "d/b.tar"});
  EXPECT_THAT(expand(*storage, {"*.tar"}), ElementsAre("a.tar"));
  EXPECT_THAT(expand(*storage, {"*/b.tar"}), ElementsAre("d/b.tar"));
}

TEST(ExpandUrlsTest, MatchesBelowTheRoot) {
  const auto storage = storage_with({"/a.tar", "/d/b.tar"});
  EXPECT_THAT(expand(*storage, {"/*.tar"}), ElementsAre("/a.tar"));
  EXPECT_THAT(expand(*storage, {"/d/*"}), ElementsAre("/d/b.tar"));
}

TEST(ExpandUrlsTest, MatchesLocalFiles) {
  const TemporaryFolder folder;
  folder.write("b/2.tar", "");
  folder.write("a/1.tar", "");
  folder.write(".penstock/1.tar", "");
  const auto storage = storage::make_local_storage();
  EXPECT_THAT(expand(*storage, {folder.path("**/*.tar")}),
              ElementsAre(folder.path("a/1.tar"), folder.path("b/2.tar")));
}

TEST(ExpandUrlsTest, ListsNoFolderThatCannotMatch) {
  const TemporaryFolder folder;
  folder.write("a.tar", "");
  folder.write("other/deep/b.tar", "");
  const CountingStorage storage(storage::make_local_storage());
  EXPECT_THAT(expand(storage, {folder.path("*.tar")}), ElementsAre(folder.path("a.tar")));
  EXPECT_EQ(storage.num_listings, 1);
}

TEST(ExpandUrlsTest, ExpandsBracesBeforeWildcards) {
  const auto storage = storage_with({"val/b.tar", "train/a.tar"});
  EXPECT_THAT(expand(*storage, {"{val,train}/*.tar"}), ElementsAre("val/b.tar", "train/a.tar"));
}

TEST(ExpandUrlsTest, TakesAFileAsItIsWritten) {
  const auto storage = storage_with({"a[1]*.tar", "b{1,2}.tar", "c@2.tar"});
  EXPECT_THAT(expand(*storage, {"a[1]*.tar", "b{1,2}.tar", "c@2.tar"}),
              ElementsAre("a[1]*.tar", "b{1,2}.tar", "c@2.tar"));
}

TEST(ExpandUrlsTest, NamesThePatternWithoutMatch) {
  const auto storage = storage_with({"a.txt"});
  const Texts urls = {"none/*.tar"};
  const Status status = expand_urls(*storage, urls).status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_EQ(status.message(), "no file matches none/*.tar");
}

TEST(ExpandUrlsTest, NamesThePathThatIsMissing) {
  EXPECT_THAT(expand(*storage_with({"a.tar"}), {"b.tar"}), ElementsAre("no file at b.tar"));
}

TEST(ExpandUrlsTest, NamesTheMissingFileOfARange) {
  EXPECT_THAT(expand(*storage_with({"t-00.tar", "t-02.tar"}), {"t-{00..02}.tar"}),
              ElementsAre("no file at t-01.tar, which t-{00..02}.tar stands for"));
}

TEST(ExpandUrlsTest, NamesTheUrlThatStandsForTooMany) {
  EXPECT_THAT(expand(*storage_with({}), {"{0..9999999}.tar"}),
              ElementsAre("{0..9999999}.tar: stands for more than 1000000 paths"));
}

TEST(ExpandUrlsTest, RefusesNothing) {
  EXPECT_THAT(expand(*storage_with({}), {}), ElementsAre("no paths, expected one or more shards"));
  EXPECT_THAT(expand(*storage_with({}), {""}),
              ElementsAre("a path is empty, expected the path of a shard"));
}

TEST(MatchesPatternTest, TreatsSlashesAndDotsLikeOthers) {
  EXPECT_TRUE(matches_pattern("*cat", "./a/b/cat"));
  EXPECT_TRUE(matches_pattern("a?b", "a/b"));
  EXPECT_FALSE(matches_pattern("cat", "a/cat"));
}

}  // namespace
}  // namespace penstock::source
