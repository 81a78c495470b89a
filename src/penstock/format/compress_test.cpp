#include "penstock/format/compress.h"

#include <gtest/gtest.h>

#include <string>

#include "penstock/format/testing.h"

namespace penstock::format {
namespace {

std::string decompressed(Compression compression, Bytes bytes) {
  const auto decompressor = make_decompressor(compression).value();
  std::string out(1'000'000, '?');
  const auto progress = decompressor->run(bytes, std::as_writable_bytes(std::span(out)));
  EXPECT_TRUE(progress.ok()) << progress.status().message();
  EXPECT_EQ(decompressor->finish(), Status{});
  out.resize(progress.ok() ? progress->produced : 0);
  return out;
}

class CompressTest : public testing::TestWithParam<Compression> {};

INSTANTIATE_TEST_SUITE_P(Methods, CompressTest,
                         testing::Values(Compression::kGzip, Compression::kZlib),
                         [](const auto& method) {
                           return std::string(compression_name(method.param));
                         });

TEST_P(CompressTest, ComesBackAsItWas) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += concat(i * 7919 % 10'007, ' ');
  const auto compressor = make_compressor(GetParam()).value();
  std::vector<std::byte> out;
  ASSERT_EQ(compressor->append(bytes_of(text).first(100), out), Status{});
  ASSERT_EQ(compressor->append(bytes_of(text).subspan(100), out), Status{});
  ASSERT_EQ(compressor->finish(out), Status{});
  EXPECT_LT(out.size(), text.size());
  EXPECT_EQ(decompressed(GetParam(), out), text);
}

TEST_P(CompressTest, NothingComesBackAsNothing) {
  const auto compressor = make_compressor(GetParam()).value();
  std::vector<std::byte> out;
  ASSERT_EQ(compressor->finish(out), Status{});
  EXPECT_EQ(decompressed(GetParam(), out), "");
}

TEST(CompressorTest, RefusesWhatItCannot) {
  EXPECT_EQ(make_compressor(Compression::kZstd).status(),
            unsupported("compression is zstd, expected gzip or zlib"));
}

}  // namespace
}  // namespace penstock::format
