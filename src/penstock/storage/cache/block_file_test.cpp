#include "penstock/storage/cache/block_file.h"

#include <gtest/gtest.h>

namespace penstock::storage {
namespace {

constexpr BlockId kId{0x0123456789abcdef, 12};

TEST(BlockFileTest, IsNamedAfterTheObjectAndItsNumber) {
  EXPECT_EQ(block_name(kId).substr(2), "/0123456789abcdef-12");
}

TEST(BlockFileTest, HasANumberForEachPageAndSixMore) {
  EXPECT_EQ(footer_bytes(1), 8u * 7);
  EXPECT_EQ(footer_bytes(kPageBytes), 8u * 7);
  EXPECT_EQ(footer_bytes(kPageBytes + 1), 8u * 8);
  EXPECT_EQ(footer_bytes(kBlockBytes), 8u * 70);
}

TEST(BlockFileTest, KnowsItsFooter) {
  const std::vector<std::byte> data(40'000, std::byte{5});
  const auto footer = make_footer(kId, data);
  EXPECT_EQ(footer.size(), footer_bytes(40'000));
  EXPECT_TRUE(is_footer_of(kId, 40'000, footer));
}

TEST(BlockFileTest, KnowsTheFooterOfAnother) {
  const std::vector<std::byte> data(40'000, std::byte{5});
  const auto footer = make_footer(kId, data);
  EXPECT_FALSE(is_footer_of({kId.key, 13}, 40'000, footer));
  EXPECT_FALSE(is_footer_of({kId.key + 1, 12}, 40'000, footer));
  EXPECT_FALSE(is_footer_of(kId, 40'001, footer));
  EXPECT_FALSE(is_footer_of(kId, 10, footer));
}

TEST(BlockFileTest, NoticesDamageOfAnyByteOfItsFooter) {
  auto footer = make_footer(kId, std::vector<std::byte>(40'000));
  for (std::byte& byte : footer) {
    byte ^= std::byte{0x10};
    EXPECT_FALSE(is_footer_of(kId, 40'000, footer));
    byte ^= std::byte{0x10};
  }
}

}  // namespace
}  // namespace penstock::storage
