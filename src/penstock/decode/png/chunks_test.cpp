#include "penstock/decode/png/chunks.h"

#include <gtest/gtest.h>

#include <string>

#include "penstock/decode/png/test_png.h"

namespace penstock::decode {
namespace {

Encoded joined(std::initializer_list<Encoded> parts) {
  Encoded file;
  for (const Encoded& part : parts) append(part, file);
  return file;
}

const PngFormat kRgb{{4, 3}, 8, PngColour::kRgb, false};
const PngFormat kPaletted{{4, 3}, 4, PngColour::kPalette, false};
const Encoded kData = png_chunk("IDAT", bytes_of({1, 2, 3}));
const Encoded kEnd = png_chunk("IEND", {});

std::string failure(const Encoded& file, bool checks_sums = false) {
  return std::string(read_png_chunks(file, checks_sums).status().message());
}

TEST(PngFormatTest, IsWhatTheHeaderSays) {
  const PngFormat format =
      *read_png_format(png_start({{1000, 7}, 16, PngColour::kGrayAlpha, true}));
  EXPECT_EQ(format.size, (ImageSize{1000, 7}));
  EXPECT_EQ(format.depth, 16);
  EXPECT_EQ(format.colour, PngColour::kGrayAlpha);
  EXPECT_TRUE(format.is_interlaced);
}

TEST(PngFormatTest, CountsBitsAndBytes) {
  const PngFormat wide{{5, 1}, 16, PngColour::kRgba, false};
  EXPECT_EQ(wide.pixel_bytes(), 8);
  EXPECT_EQ(wide.row_bytes(5), 40u);
  const PngFormat narrow{{5, 1}, 2, PngColour::kGray, false};
  EXPECT_EQ(narrow.pixel_bytes(), 1);
  EXPECT_EQ(narrow.row_bytes(5), 2u);
}

TEST(PngFormatTest, EveryCombinationOfTheSpecificationIsRead) {
  const std::vector<PngFormat> formats = png_formats({4, 3});
  EXPECT_EQ(formats.size(), 30u);
  for (const PngFormat& format : formats) EXPECT_TRUE(read_png_format(png_start(format)).ok());
}

TEST(PngFormatTest, OtherDepthsAreCorrupt) {
  int num_read = 0;
  for (int depth = 0; depth < 256; ++depth) {
    for (int colour = 0; colour < 256; ++colour) {
      const auto type = static_cast<PngColour>(colour);
      num_read += read_png_format(png_start({{4, 3}, depth, type, false})).ok() ? 1 : 0;
    }
  }
  EXPECT_EQ(num_read, 15);
  const Status status = read_png_format(png_start({{4, 3}, 4, PngColour::kRgb, false})).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_EQ(status.message(),
            "colour type is 2 with 4 bits a sample, expected one of the specification's "
            "combinations");
}

TEST(PngFormatTest, UnknownMethodsAreCorrupt) {
  Encoded start = png_start(kRgb);
  start[28] = std::byte{2};
  EXPECT_EQ(read_png_format(start).status().message(),
            "compression, filter and interlace methods are 0, 0 and 2, expected 0, 0 and at most "
            "1");
}

TEST(PngChunksTest, AnswersWhereTheDataLies) {
  const PngChunks chunks = *read_png_chunks(
      joined({png_start(kRgb), png_chunk("tEXt", bytes_of({9})), kData, kData, kEnd}), true);
  EXPECT_EQ(chunks.data_begin, 46u);
  EXPECT_EQ(chunks.data_bytes, 6u);
  EXPECT_EQ(chunks.num_data_chunks, 2);
}

TEST(PngChunksTest, OneDataChunkIsUsedInPlace) {
  const Encoded file = joined({png_start(kRgb), kData, kEnd});
  EXPECT_EQ(png_data(file, *read_png_chunks(file, false), nullptr).data(), file.data() + 41);
}

TEST(PngChunksTest, SeveralDataChunksAreJoined) {
  const Encoded file = joined(
      {png_start(kRgb), kData, png_chunk("IDAT", {}), png_chunk("IDAT", bytes_of({7})), kEnd});
  std::byte room[4];
  const Bytes data = png_data(file, *read_png_chunks(file, false), room);
  EXPECT_EQ(Encoded(data.begin(), data.end()),
            (Encoded{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{7}}));
}

TEST(PngChunksTest, BytesAfterTheEndAreNoFlaw) {
  EXPECT_EQ(failure(joined({png_start(kRgb), kData, kEnd, kData})), "");
}

TEST(PngChunksTest, AMissingEndIsCorrupt) {
  EXPECT_EQ(failure(joined({png_start(kRgb), kData})),
            "truncated after 48 bytes, expected an IEND chunk at the end");
}

TEST(PngChunksTest, ALengthBeyondTheFileIsCorrupt) {
  Encoded file = joined({png_start(kRgb), kData, kEnd});
  file[33] = std::byte{0xFF};
  EXPECT_EQ(failure(file),
            "truncated after 60 bytes, in the IDAT chunk at byte 33, expected 4278190083 bytes of "
            "content");
}

TEST(PngChunksTest, AnEndWithContentIsCorrupt) {
  EXPECT_EQ(failure(joined({png_start(kRgb), kData, png_chunk("IEND", bytes_of({1}))})),
            "IEND chunk at byte 48 has 1 bytes, expected none");
}

TEST(PngChunksTest, NoImageDataIsCorrupt) {
  EXPECT_EQ(failure(joined({png_start(kRgb), kEnd})), "no IDAT chunk, expected image data");
}

TEST(PngChunksTest, DataChunksThatAreApartAreCorrupt) {
  EXPECT_EQ(
      failure(joined({png_start(kRgb), kData, png_chunk("tEXt", bytes_of({9})), kData, kEnd})),
      "IDAT chunk at byte 61 follows a tEXt chunk, expected all IDAT chunks in a row");
}

TEST(PngChunksTest, ASecondHeaderIsCorrupt) {
  EXPECT_EQ(failure(joined({png_start(kRgb), png_chunk("IHDR", {}), kData, kEnd})),
            "a second IHDR chunk at byte 33, expected one");
}

TEST(PngChunksTest, AnUnknownCriticalChunkIsUnsupported) {
  const Status status =
      read_png_chunks(joined({png_start(kRgb), png_chunk("ABcd", {}), kData, kEnd}), false)
          .status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_EQ(status.message(), "ABcd chunk at byte 33, expected no critical chunk of this type");
}

TEST(PngChunksTest, APaletteNeedsWholeColours) {
  EXPECT_EQ(
      failure(joined({png_start(kPaletted), png_chunk("PLTE", bytes_of({1, 2})), kData, kEnd})),
      "PLTE chunk at byte 33 has 2 bytes, expected 3 for each of 1 to 256 colours");
}

TEST(PngChunksTest, AMissingPaletteIsCorrupt) {
  EXPECT_EQ(failure(joined({png_start(kPaletted), kData, kEnd})),
            "no PLTE chunk, expected the palette of colour type 3");
}

TEST(PngChunksTest, APaletteBehindTheDataIsCorrupt) {
  EXPECT_EQ(
      failure(joined({png_start(kPaletted), kData, png_chunk("PLTE", bytes_of({1, 2, 3})), kEnd})),
      "PLTE chunk at byte 48, expected it before the IDAT chunk");
}

TEST(PngChunksTest, SumsOfAllChunksAreCheckedOnDemand) {
  const Encoded file = joined({png_start(kRgb), png_chunk("tEXt", bytes_of({9})), kData, kEnd});
  const struct {
    std::size_t sum;
    const char* message;
  } cases[] = {{29, "wrong checksum of the IHDR chunk at byte 8"},
               {42, "wrong checksum of the tEXt chunk at byte 33"},
               {57, "wrong checksum of the IDAT chunk at byte 46"},
               {69, "wrong checksum of the IEND chunk at byte 61"}};
  for (const auto& [sum, message] : cases) {
    Encoded damaged = file;
    damaged[sum] ^= std::byte{1};
    EXPECT_EQ(failure(damaged), "");
    EXPECT_EQ(failure(damaged, true), message);
  }
}

}  // namespace
}  // namespace penstock::decode
