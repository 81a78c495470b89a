#include "penstock/storage/cache/page_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "penstock/base/hash.h"

namespace penstock::storage {
namespace {

std::vector<std::byte> page_of(std::size_t size) {
  std::vector<std::byte> page(size);
  for (std::size_t i = 0; i < size; ++i) page[i] = static_cast<std::byte>(mix_bits(i));
  return page;
}

TEST(PageHashTest, ChangesWithEveryBit) {
  for (const std::size_t size : {1u, 127u, 128u, 1000u}) {
    std::vector<std::byte> page = page_of(size);
    std::set<std::uint64_t> hashes{page_hash(page)};
    for (std::size_t bit = 0; bit < 8 * size; ++bit) {
      page[bit / 8] ^= std::byte{1} << (bit % 8);
      hashes.insert(page_hash(page));
      page[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    EXPECT_EQ(hashes.size(), 8 * size + 1);
  }
}

TEST(PageHashTest, ChangesWhenBytesBecomeZero) {
  std::vector<std::byte> page = page_of(16384);
  std::set<std::uint64_t> hashes{page_hash(page)};
  for (std::size_t sector = 16384; sector > 0; sector -= 512) {
    std::fill_n(page.begin() + static_cast<std::ptrdiff_t>(sector - 512), 512, std::byte{0});
    hashes.insert(page_hash(page));
  }
  EXPECT_EQ(hashes.size(), 33u);
}

TEST(PageHashTest, ChangesWithTheLength) {
  const std::vector<std::byte> zeros(1000);
  std::set<std::uint64_t> hashes;
  for (std::size_t size = 0; size <= 1000; ++size) {
    hashes.insert(page_hash(Bytes(zeros).first(size)));
  }
  EXPECT_EQ(hashes.size(), 1001u);
}

TEST(PageHashTest, ChangesWhenNeighboursChangePlaces) {
  std::vector<std::byte> page = page_of(512);
  const std::uint64_t before = page_hash(page);
  std::swap_ranges(page.begin(), page.begin() + 16, page.begin() + 128);
  EXPECT_NE(page_hash(page), before);
  page = page_of(512);
  std::swap_ranges(page.begin(), page.begin() + 8, page.begin() + 8);
  EXPECT_NE(page_hash(page), before);
}

}  // namespace
}  // namespace penstock::storage
