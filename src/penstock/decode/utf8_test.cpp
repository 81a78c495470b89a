#include "penstock/decode/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace penstock::decode {
namespace {

Status check(std::string_view text) { return check_utf8(std::as_bytes(std::span(text))); }

TEST(CheckUtf8Test, AcceptsCharactersOfEveryLength) {
  for (const std::string_view text :
       {"", "a", "plain text, longer than a word", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
        "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
        "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x90\x88"}) {
    EXPECT_TRUE(check(text).ok()) << text;
  }
  EXPECT_TRUE(check(std::string_view("\0", 1)).ok());
}

TEST(CheckUtf8Test, RejectsWhatIsNoCharacter) {
  for (const std::string_view text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3(", "\xe2\x82(", "\xf0\x9f\x90("}) {
    EXPECT_EQ(check(text).message(), "not UTF-8 at byte 0") << text;
    EXPECT_EQ(check(text).code(), Code::kCorrupt);
  }
}

TEST(CheckUtf8Test, RejectsACharacterThatIsCutShort) {
  EXPECT_EQ(check("caf\xc3").message(), "not UTF-8 at byte 3");
  EXPECT_EQ(check("0123456789 \xf0\x9f\x90").message(), "not UTF-8 at byte 11");
}

TEST(CheckUtf8Test, FindsABadByteAtEveryPlace) {
  for (std::size_t place = 0; place < 40; ++place) {
    std::string text(40, 'x');
    text[place] = '\xff';
    EXPECT_EQ(check(text).message(), concat("not UTF-8 at byte ", place));
  }
}

}  // namespace
}  // namespace penstock::decode
