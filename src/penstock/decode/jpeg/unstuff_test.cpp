#include "penstock/decode/jpeg/unstuff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "penstock/base/rng.h"
#include "penstock/base/text.h"
#include "penstock/decode/jpeg/test_reference.h"

namespace penstock::decode {
namespace {

struct Copied {
  std::size_t num_read = 0;
  std::vector<std::uint8_t> plain;
  std::vector<std::uint32_t> stuffed;
  friend bool operator==(const Copied&, const Copied&) = default;
};

Copied expected_of(const std::vector<std::uint8_t>& bytes) {
  Copied result;
  std::size_t i = 0;
  while (i < bytes.size()) {
    if (bytes[i] == 0xff) {
      if (i + 1 == bytes.size() || bytes[i + 1] != 0) break;
      result.stuffed.push_back(static_cast<std::uint32_t>(result.plain.size()));
    }
    result.plain.push_back(bytes[i]);
    i += bytes[i] == 0xff ? 2 : 1;
  }
  result.num_read = i;
  return result;
}

// Input and output in memory of exactly the size that is asked for, so that sanitizers see more.
Copied unstuffed(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint8_t> in(bytes);
  in.shrink_to_fit();
  std::vector<std::uint8_t> out(bytes.size() + kUnstuffSlack, 0x55);
  Copied result;
  const Unstuffed read = unstuff(std::as_bytes(std::span(in)), out.data(), result.stuffed);
  result.num_read = read.num_read;
  result.plain.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(read.num_written));
  return result;
}

std::vector<std::uint8_t> counting(std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i % 251);
  return bytes;
}

TEST(UnstuffTest, LeavesOutTheZeroBehindEachMark) {
  for_each_instruction_set([] {
    const Copied result = unstuffed({1, 0xff, 0, 2, 0xff, 0, 0xff, 0, 3});
    EXPECT_EQ(result.plain, (std::vector<std::uint8_t>{1, 0xff, 2, 0xff, 0xff, 3}));
    EXPECT_EQ(result.stuffed, (std::vector<std::uint32_t>{1, 3, 4}));
    EXPECT_EQ(result.num_read, 9u);
  });
}

TEST(UnstuffTest, KeepsOtherZeros) {
  for_each_instruction_set([] {
    const std::vector<std::uint8_t> zeros(100, 0);
    EXPECT_EQ(unstuffed(zeros), (Copied{100, zeros, {}}));
  });
}

TEST(UnstuffTest, EndsBeforeAMarker) {
  for_each_instruction_set([] {
    for (const int code : {0x01, 0xd0, 0xd9, 0xff}) {
      const Copied result = unstuffed({7, 8, 0xff, static_cast<std::uint8_t>(code), 9});
      EXPECT_EQ(result, (Copied{2, {7, 8}, {}}));
    }
  });
}

TEST(UnstuffTest, EndsBeforeAMarkThatIsTheLastByte) {
  for_each_instruction_set([] { EXPECT_EQ(unstuffed({7, 0xff}), (Copied{1, {7}, {}})); });
}

TEST(UnstuffTest, CopiesAnyNumberOfBytes) {
  for_each_instruction_set([] {
    for (std::size_t size = 0; size <= 140; ++size) {
      EXPECT_EQ(unstuffed(counting(size)), (Copied{size, counting(size), {}})) << size;
    }
  });
}

TEST(UnstuffTest, FindsOneMarkAtAnyPlace) {
  for_each_instruction_set([] {
    for (std::size_t size = 1; size <= 100; ++size) {
      for (std::size_t place = 0; place < size; ++place) {
        for (const std::uint8_t follows : {std::uint8_t{0}, std::uint8_t{0xd0}}) {
          std::vector<std::uint8_t> bytes = counting(size);
          bytes[place] = 0xff;
          if (place + 1 < size) bytes[place + 1] = follows;
          ASSERT_EQ(unstuffed(bytes), expected_of(bytes)) << concat(place, " of ", size);
        }
      }
    }
  });
}

TEST(UnstuffTest, FindsMarksHoweverManyThereAre) {
  for_each_instruction_set([] {
    Rng rng({.seed = 1});
    for (int round = 0; round < 300; ++round) {
      const unsigned rarity = 2 + rng.below(60);
      std::vector<std::uint8_t> bytes(rng.below(400));
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const bool follows_mark = i > 0 && bytes[i - 1] == 0xff;
        bytes[i] = static_cast<std::uint8_t>(
            follows_mark ? 0 : (rng.below(rarity) == 0 ? 0xff : rng.below(255)));
      }
      ASSERT_EQ(unstuffed(bytes), expected_of(bytes)) << round;
    }
  });
}

TEST(UnstuffTest, AddsToThePlacesThatAreThere) {
  std::vector<std::uint32_t> stuffed = {4};
  std::vector<std::uint8_t> out(2 + kUnstuffSlack);
  const std::uint8_t bytes[] = {0xff, 0};
  (void)unstuff(std::as_bytes(std::span(bytes)), out.data(), stuffed);
  EXPECT_EQ(stuffed, (std::vector<std::uint32_t>{4, 0}));
}

}  // namespace
}  // namespace penstock::decode
