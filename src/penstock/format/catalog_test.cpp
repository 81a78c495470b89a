#include "penstock/format/catalog.h"

#include <gtest/gtest.h>

#include <string>

#include "penstock/format/tar_writer.h"
#include "penstock/format/tfrecord_writer.h"

namespace penstock::format {
namespace {

Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(FormatCatalogTest, KnowsFormatsByTheirEndings) {
  EXPECT_EQ(format_of("a/train-0000.tar")->name, "tar");
  EXPECT_EQ(format_of("train.tar.gz")->name, "tar.gz");
  EXPECT_EQ(format_of("train.TGZ")->name, "tar.gz");
  EXPECT_EQ(format_of("train.tar.zst")->name, "tar.zst");
  EXPECT_EQ(format_of("train.tar.zst")->compression, Compression::kZstd);
}

TEST(FormatCatalogTest, FindsEachFormatUnderEachOfItsEndings) {
  for (const FormatDef& format : formats()) {
    for (const std::string_view ending : format.endings) {
      if (!ending.empty()) {
        EXPECT_EQ(format_of(concat("x", ending))->name, format.name);
      }
    }
  }
}

TEST(FormatCatalogTest, BelievesTheBytesRatherThanTheName) {
  EXPECT_EQ(format_of("train.tar", as_bytes("\x1f\x8b\x08"))->name, "tar.gz");
  EXPECT_EQ(format_of("train", as_bytes("\x28\xb5\x2f\xfd"))->name, "tar.zst");
  EXPECT_EQ(format_of("train.tgz", tar_header("x", 1).value())->name, "tar");
  EXPECT_EQ(format_of("train-00000-of-00010", tfrecord_header(100))->name, "tfrecord");
}

TEST(FormatCatalogTest, TheNameTellsWhatIsCompressed) {
  EXPECT_EQ(format_of("train.tfrecord.gz", as_bytes("\x1f\x8b\x08"))->name, "tfrecord.gz");
  EXPECT_EQ(format_of("train", as_bytes("\x1f\x8b\x08"))->name, "tar.gz");
}

TEST(FormatCatalogTest, NamesTheEndingsItKnows) {
  EXPECT_EQ(
      format_of("train.rar", as_bytes("Rar!")).status(),
      unsupported("no known format by name or first bytes, expected one of .tar, .tar.gz, "
                  ".tgz, .tar.zst, .tzst, .tfrecord, .tfrecords, .tfrecord.gz, .tfrecords.gz"));
}

}  // namespace
}  // namespace penstock::format
