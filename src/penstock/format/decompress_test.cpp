#include "penstock/format/decompress.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <string>

namespace penstock::format {
namespace {

Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string deflated(std::string_view text, int window_bits) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string gzip(std::string_view text) { return deflated(text, MAX_WBITS + 16); }
std::string zlib(std::string_view text) { return deflated(text, MAX_WBITS); }

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

struct Method {
  Compression compression;
  std::string (*compress)(std::string_view);
};

struct Steps {
  std::size_t in = 1 << 20;
  std::size_t out = 1 << 20;
};

// The whole of `compressed`, given and taken in pieces of these sizes.
Result<std::string> decompress(Compression compression, std::string_view compressed,
                               Steps steps = {}) {
  PENSTOCK_TRY_ASSIGN(const auto decompressor, make_decompressor(compression));
  std::string out;
  std::string piece(steps.out, '?');
  for (;;) {
    const Bytes in = as_bytes(compressed.substr(0, steps.in));
    PENSTOCK_TRY_ASSIGN(const Progress progress,
                        decompressor->run(in, std::as_writable_bytes(std::span(piece))));
    out += piece.substr(0, progress.produced);
    compressed.remove_prefix(progress.consumed);
    if (compressed.empty() && progress.produced < piece.size()) break;
  }
  PENSTOCK_TRY(decompressor->finish());
  return out;
}

std::string numbers() {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += concat(i * 7919 % 10'007, ' ');
  return text;
}

class DecompressTest : public testing::TestWithParam<Method> {
 protected:
  Result<std::string> decompressed(std::string_view compressed, Steps steps = {}) const {
    return decompress(GetParam().compression, compressed, steps);
  }
  std::string compressed(std::string_view text) const { return GetParam().compress(text); }
};

INSTANTIATE_TEST_SUITE_P(Methods, DecompressTest,
                         testing::Values(Method{Compression::kGzip, gzip},
                                         Method{Compression::kZstd, zstd},
                                         Method{Compression::kZlib, zlib}),
                         [](const auto& method) {
                           return std::string(compression_name(method.param.compression));
                         });

TEST_P(DecompressTest, GivesBackWhatWasCompressed) {
  EXPECT_EQ(decompressed(compressed("hello")).value(), "hello");
  EXPECT_EQ(decompressed(compressed("")).value(), "");
  EXPECT_EQ(decompressed(compressed(numbers())).value(), numbers());
}

TEST_P(DecompressTest, TakesPiecesOfEverySize) {
  const std::string text = numbers().substr(0, 20'000);
  const std::string whole = compressed(text);
  for (const Steps steps : {Steps{1, 1}, Steps{1, 4096}, Steps{4096, 1}, Steps{7, 13}}) {
    EXPECT_EQ(decompressed(whole, steps).value(), text);
  }
}

TEST_P(DecompressTest, JoinsStreamsThatFollowEachOther) {
  const std::string both = compressed("one,") + compressed("") + compressed("two");
  EXPECT_EQ(decompressed(both).value(), "one,two");
  EXPECT_EQ(decompressed(both, {1, 1}).value(), "one,two");
}

TEST_P(DecompressTest, NoticesEveryCut) {
  const std::string whole = compressed("some text that is long enough");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(decompressed(whole.substr(0, size)).status(),
              corrupt(compression_name(GetParam().compression), ": cut after ", size, " bytes"));
  }
}

TEST_P(DecompressTest, RejectsGarbage) {
  EXPECT_EQ(decompressed("this is not compressed").status().code(), Code::kCorrupt);
  EXPECT_EQ(decompressed(compressed("text") + "garbage").status().code(), Code::kCorrupt);
}

TEST_P(DecompressTest, SurvivesEveryFlippedBit) {
  const std::string whole = compressed(numbers().substr(0, 300));
  for (std::size_t i = 0; i < whole.size() * 8; ++i) {
    std::string changed = whole;
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ 1 << i % 8);
    const Code code = decompressed(changed).status().code();
    EXPECT_TRUE(code == Code::kOk || code == Code::kCorrupt || code == Code::kUnsupported);
  }
}

TEST_P(DecompressTest, TellsWhenAStreamIsComplete) {
  const std::string whole = compressed("hello");
  const auto decompressor = make_decompressor(GetParam().compression).value();
  std::string out(100, '?');
  const auto part = decompressor->run(as_bytes(whole).first(whole.size() - 1),
                                      std::as_writable_bytes(std::span(out)));
  EXPECT_FALSE(part->is_finished);
  const auto rest =
      decompressor->run(as_bytes(whole).last(1), std::as_writable_bytes(std::span(out)));
  EXPECT_TRUE(rest->is_finished);
  EXPECT_TRUE(decompressor->run({}, std::as_writable_bytes(std::span(out)))->is_finished);
}

TEST_P(DecompressTest, DeliversWhatStandsBeforeAFailure) {
  const std::string text = numbers();
  const std::string broken = compressed(text) + "garbage behind the end";
  const auto decompressor = *make_decompressor(GetParam().compression);
  std::string out(2 * text.size(), '?');
  const auto progress = decompressor->run(as_bytes(broken), std::as_writable_bytes(std::span(out)));
  ASSERT_TRUE(progress.ok()) << progress.status().message();
  EXPECT_EQ(out.substr(0, progress->produced), text);
  EXPECT_FALSE(progress->is_finished);
  EXPECT_EQ(decompressor->run({}, std::as_writable_bytes(std::span(out))).status().code(),
            Code::kCorrupt);
  EXPECT_EQ(decompressor->finish().code(), Code::kCorrupt);
}

TEST(GzipTest, PassesOverZerosAfterAMember) {
  const std::string padded = gzip("one,") + std::string(100, '\0') + gzip("two") + '\0';
  EXPECT_EQ(decompress(Compression::kGzip, padded).value(), "one,two");
}

TEST(GzipTest, ReportsAWrongChecksum) {
  std::string broken = gzip("hello");
  broken[broken.size() - 8] ^= 1;
  EXPECT_EQ(decompress(Compression::kGzip, broken).status(),
            corrupt("gzip: incorrect data check at byte ", broken.size() - 4));
}

TEST(ZstdTest, RefusesAHugeWindow) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 28);
  std::string out(1000, '\0');
  ZSTD_inBuffer input{"hello", 5, 0};
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  // Two steps, so that the size of the content is not known and the window is stated as it is.
  ZSTD_compressStream2(context, &output, &input, ZSTD_e_flush);
  ZSTD_compressStream2(context, &output, &input, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  EXPECT_EQ(decompress(Compression::kZstd, out.substr(0, output.pos)).status().code(),
            Code::kUnsupported);
}

TEST(CompressionTest, IsKnownByItsMagicNumber) {
  EXPECT_EQ(compression_of(as_bytes(gzip("x"))), Compression::kGzip);
  EXPECT_EQ(compression_of(as_bytes(zstd("x"))), Compression::kZstd);
  EXPECT_EQ(compression_of(as_bytes("plain")), Compression::kNone);
  EXPECT_EQ(compression_of({}), Compression::kNone);
}

TEST(CompressionTest, IsKnownByTheEndingOfAName) {
  EXPECT_EQ(compression_of_name("a.tar.gz"), Compression::kGzip);
  EXPECT_EQ(compression_of_name("a.TGZ"), Compression::kGzip);
  EXPECT_EQ(compression_of_name("a.tar.zst"), Compression::kZstd);
  EXPECT_EQ(compression_of_name("a.tar"), Compression::kNone);
  EXPECT_EQ(compression_of_name("gz"), Compression::kNone);
}

TEST(CompressionTest, NeedsAMethod) {
  EXPECT_EQ(make_decompressor(Compression::kNone).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace penstock::format
