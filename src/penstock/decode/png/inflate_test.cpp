#include "penstock/decode/png/inflate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "penstock/decode/png/test_png.h"

namespace penstock::decode {
namespace {

struct Inflated {
  Status status;
  Encoded rows;
};

Inflated inflate(Bytes compressed, std::size_t rows_bytes, bool checks_sums = false) {
  Inflater inflater;
  Inflated result{{}, Encoded(rows_bytes + kInflateSlackBytes)};
  result.status = inflater.inflate(compressed, result.rows, rows_bytes, checks_sums);
  result.rows.resize(rows_bytes);
  return result;
}

Encoded noise(std::size_t size) {
  Rng rng({.seed = 9});
  Encoded bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(rng.below(256));
  return bytes;
}

TEST(InflateTest, GivesBackTheRows) {
  const Encoded rows = noise(1000);
  for (const bool checks_sums : {false, true}) {
    const Inflated result = inflate(deflated(rows), rows.size(), checks_sums);
    EXPECT_TRUE(result.status.ok());
    EXPECT_EQ(result.rows, rows);
  }
}

TEST(InflateTest, TooFewBytesAreCorrupt) {
  const Status status = inflate(deflated(noise(999)), 1000).status;
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(), "image data inflates to 999 bytes, expected 1000");
}

// Stored blocks, literals and matches stop in different places when there is no room for them.
TEST(InflateTest, RowsAreCompleteIfTheDataGoesOn) {
  Encoded repeated = noise(300);
  while (repeated.size() < 300000) append(Bytes(repeated).first(300), repeated);
  for (const Encoded& all : {noise(300000), repeated, Encoded(300000)}) {
    for (const int level : {0, 1, 6, 12}) {
      for (const std::size_t rows_bytes : {1, 500, 65535, 70001, 299999}) {
        const Inflated result = inflate(deflated(all, level), rows_bytes);
        EXPECT_TRUE(result.status.ok());
        EXPECT_TRUE(std::equal(result.rows.begin(), result.rows.end(), all.begin()))
            << "level " << level << ", " << rows_bytes << " bytes";
      }
    }
  }
}

TEST(InflateTest, DataThatGoesOnIsCorruptIfSumsAreChecked) {
  for (const std::size_t size : {1001, 200000}) {
    EXPECT_EQ(inflate(deflated(noise(size)), 1000, true).status.message(),
              "image data goes on behind 1000 bytes of rows, expected its end");
  }
}

TEST(InflateTest, AWrongAdler32IsCorruptIfSumsAreChecked) {
  Encoded data = deflated(noise(1000));
  data.back() ^= std::byte{1};
  EXPECT_TRUE(inflate(data, 1000).status.ok());
  EXPECT_EQ(inflate(data, 1000, true).status.message(),
            concat("damaged image data: ", data.size(),
                   " bytes do not inflate or have a wrong checksum"));
}

TEST(InflateTest, CutDataIsCorrupt) {
  const Encoded data = deflated(noise(1000));
  for (std::size_t size = 0; size + 4 < data.size(); ++size) {
    EXPECT_EQ(inflate(Bytes(data).first(size), 1000).status.code(), Code::kCorrupt) << size;
  }
}

TEST(InflateTest, OnlyZlibHeadersWithoutDictionaryAreRead) {
  Encoded data = deflated(noise(10));
  data[0] = std::byte{0x79};
  EXPECT_EQ(inflate(data, 10).status.message(),
            concat("image data begins with the bytes 121 and ", std::to_integer<int>(data[1]),
                   ", expected a zlib header"));
  data[0] = std::byte{0x78};
  data[1] = std::byte{0xBB};  // a preset dictionary, with its check bits right
  EXPECT_FALSE(inflate(data, 10).status.ok());
}

TEST(InflateTest, DeflateExpandsAtMost1032Times) {
  EXPECT_TRUE(check_inflated_size(deflated(Encoded(10000000), 12).size(), 10000000).ok());
  const Status status = check_inflated_size(100, 1000000000);
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(),
            "image data has 100 bytes, expected at least 968992 for 1000000000 bytes of rows");
}

}  // namespace
}  // namespace penstock::decode
