#include "penstock/decode/jpeg/decode.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>
// jpeglib.h needs size_t and FILE to be declared before it.
#include <jpeglib.h>

#include "penstock/decode/jpeg/encode.h"
#include "penstock/decode/jpeg/header.h"
#include "penstock/decode/jpeg/test_reference.h"
#include "penstock/decode/scratch.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {
namespace {

Encoded encode(const Pixels& image, const JpegOptions& options) {
  return encode_jpeg(image.view(), options).value();
}

// What a part must agree with: at full size libjpeg-turbo, otherwise our own decode of the whole.
Pixels whole_image(const Encoded& bytes, J_COLOR_SPACE space, int eighths) {
  if (eighths == 8) return reference_pixels(bytes, space);
  const ImageSize size = read_jpeg_header(bytes)->size;
  const int channels = space == JCS_GRAYSCALE ? 1 : 3;
  DecodeScratch scratch;
  const ImageRequest request{{0, 0, size.width, size.height}, eighths};
  const ImagePart part = *decode_jpeg(bytes, request, {.channels = channels}, scratch);
  Pixels out{part.pixels.width, part.pixels.height, channels, {}};
  for (int y = 0; y < out.height; ++y) {
    const std::uint8_t* row = part.pixels.row(y);
    out.values.insert(out.values.end(), row, row + out.width * channels);
  }
  return out;
}

std::string decode_difference(const Encoded& bytes, const Rect& region, int eighths,
                              const Pixels& expected) {
  DecodeScratch scratch;
  const auto part = decode_jpeg(bytes, {region, eighths}, {.channels = expected.channels}, scratch);
  if (!part.ok()) return std::string(part.status().message());
  if (part->eighths != eighths) return concat("eighths is ", part->eighths);
  const std::string found = difference(*part, region, expected);
  if (found.empty()) return "";
  return concat(found, ", region ", region.width, "x", region.height, " at ", region.x, ",",
                region.y, ", eighths ", eighths, ", of ", part->full_size.width, "x",
                part->full_size.height);
}

// Kinds of files that encode_jpeg does not write.
struct RawOptions {
  J_COLOR_SPACE input = JCS_RGB;
  J_COLOR_SPACE stored = JCS_YCbCr;
  std::vector<jpeg_scan_info> scans;
};

Encoded encode_raw(const Pixels& image, const RawOptions& options) {
  jpeg_compress_struct cinfo;
  jpeg_error_mgr errors;
  cinfo.err = jpeg_std_error(&errors);
  jpeg_create_compress(&cinfo);
  unsigned char* encoded = nullptr;
  unsigned long size_bytes = 0;
  jpeg_mem_dest(&cinfo, &encoded, &size_bytes);
  cinfo.image_width = static_cast<JDIMENSION>(image.width);
  cinfo.image_height = static_cast<JDIMENSION>(image.height);
  cinfo.input_components = image.channels;
  cinfo.in_color_space = options.input;
  jpeg_set_defaults(&cinfo);
  jpeg_set_colorspace(&cinfo, options.stored);
  if (!options.scans.empty()) {
    cinfo.scan_info = options.scans.data();
    cinfo.num_scans = static_cast<int>(options.scans.size());
  }
  jpeg_start_compress(&cinfo, TRUE);
  while (cinfo.next_scanline < cinfo.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(image.view().row(static_cast<int>(cinfo.next_scanline)));
    jpeg_write_scanlines(&cinfo, &row, 1);
  }
  jpeg_finish_compress(&cinfo);
  const auto* begin = reinterpret_cast<const std::byte*>(encoded);
  Encoded bytes(begin, begin + size_bytes);
  jpeg_destroy_compress(&cinfo);
  std::free(encoded);
  return bytes;
}

void expect_regions_exact(const Encoded& bytes, ImageSize size, int eighths) {
  Rng rng({.seed = 9});
  const Pixels expected = reference_pixels(bytes, JCS_RGB, 8 / eighths);
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(decode_difference(bytes, random_region(size, rng), eighths, expected), "");
  }
}

class JpegDecodeTest : public testing::TestWithParam<std::tuple<ChromaSampling, bool, int>> {
 protected:
  JpegOptions options() const {
    const auto [sampling, is_progressive, restart_interval] = GetParam();
    return {.quality = 85,
            .sampling = sampling,
            .is_progressive = is_progressive,
            .restart_interval = restart_interval};
  }
};

// In which our own decoder or libjpeg-turbo answers.
std::vector<int> eighths_of(const JpegOptions& options) {
  if (options.is_progressive) return {8, 4, 2, 1};
  return {8, 7, 6, 5, 4, 3, 2, 1};
}

constexpr ImageSize kSizes[] = {{1, 1},   {2, 3},   {5, 40},  {17, 16}, {33, 65},
                                {34, 34}, {64, 48}, {97, 81}, {40, 7},  {131, 70}};

TEST_P(JpegDecodeTest, GivesThePixelsOfAWholeDecode) {
  for (const ImageSize size : kSizes) {
    const Encoded bytes = encode(busy_image(size, 3), options());
    Rng rng({.seed = 5});
    for (const int eighths : eighths_of(options())) {
      const Pixels expected = whole_image(bytes, JCS_RGB, eighths);
      EXPECT_EQ(expected.width, (size.width * eighths + 7) / 8);
      EXPECT_EQ(expected.height, (size.height * eighths + 7) / 8);
      EXPECT_EQ(decode_difference(bytes, {0, 0, size.width, size.height}, eighths, expected), "");
      for (int i = 0; i < 25; ++i) {
        EXPECT_EQ(decode_difference(bytes, random_region(size, rng), eighths, expected), "");
      }
    }
  }
}

TEST_P(JpegDecodeTest, GivesTheLumaOfAWholeDecode) {
  const ImageSize size{75, 59};
  const Encoded bytes = encode(busy_image(size, 3), options());
  Rng rng({.seed = 6});
  for (const int eighths : eighths_of(options())) {
    const Pixels expected = whole_image(bytes, JCS_GRAYSCALE, eighths);
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(decode_difference(bytes, random_region(size, rng), eighths, expected), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Samplings, JpegDecodeTest,
    testing::Combine(testing::Values(ChromaSampling::k444, ChromaSampling::k422,
                                     ChromaSampling::k420, ChromaSampling::k440,
                                     ChromaSampling::k411),
                     testing::Bool(), testing::Values(0, 3)));

TEST(JpegKindsTest, GrayFilesComeAsGrayOrRgb) {
  const ImageSize size{61, 47};
  const Encoded bytes = encode(busy_image(size, 1), {});
  Rng rng({.seed = 7});
  for (const int eighths : {8, 4, 2, 1}) {
    for (const J_COLOR_SPACE space : {JCS_GRAYSCALE, JCS_RGB}) {
      const Pixels expected = whole_image(bytes, space, eighths);
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(decode_difference(bytes, random_region(size, rng), eighths, expected), "");
      }
    }
  }
}

TEST(JpegKindsTest, ArithmeticCodingIsRead) {
  const ImageSize size{70, 90};
  for (const bool is_progressive : {false, true}) {
    expect_regions_exact(
        encode(busy_image(size, 3), {.is_progressive = is_progressive, .is_arithmetic = true}),
        size, 1);
  }
}

TEST(JpegKindsTest, FilesThatStoreRgbAreRead) {
  const ImageSize size{50, 41};
  expect_regions_exact(encode_raw(busy_image(size, 3), {.stored = JCS_RGB}), size, 1);
}

TEST(JpegKindsTest, SeparateScansForEachComponentAreRead) {
  const ImageSize size{70, 90};
  const RawOptions options{
      .scans = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}}};
  for (const int eighths : {8, 4, 1}) {
    expect_regions_exact(encode_raw(busy_image(size, 3), options), size, eighths);
  }
}

// libjpeg then smooths between blocks.
TEST(JpegKindsTest, ProgressiveFilesWithoutTheLastBitsAreRead) {
  const ImageSize size{90, 70};
  const RawOptions options{
      .scans = {{3, {0, 1, 2}, 0, 0, 0, 1}, {1, {0}, 1, 5, 0, 2}, {1, {1}, 1, 63, 0, 0}}};
  for (const int eighths : {8, 4}) {
    expect_regions_exact(encode_raw(busy_image(size, 3), options), size, eighths);
  }
}

// 255 is no ink, as Adobe stores it: (c, m, y) scaled by k. Values as Pillow gives them.
TEST(JpegKindsTest, CmykBecomesRgb) {
  Pixels image{8, 8, 4, {}};
  for (int i = 0; i < 64; ++i) image.values.insert(image.values.end(), {200, 100, 50, 128});
  for (const J_COLOR_SPACE stored : {JCS_CMYK, JCS_YCCK}) {
    const Encoded bytes = encode_raw(image, {.input = JCS_CMYK, .stored = stored});
    const Pixels cmyk = reference_pixels(bytes, JCS_CMYK);
    DecodeScratch scratch;
    const auto part = decode_jpeg(bytes, {{0, 0, 8, 8}}, {}, scratch);
    ASSERT_TRUE(part.ok()) << part.status().message();
    for (int c = 0; c < 3; ++c) {
      const double expected = cmyk.values[static_cast<std::size_t>(c)] * cmyk.values[3] / 255.0;
      EXPECT_NEAR(part->pixels.row(3)[3 * 3 + c], expected, 1.0);
    }
  }
}

TEST(JpegKindsTest, CmykBecomesGray) {
  Pixels image{8, 8, 4, {}};
  for (int i = 0; i < 64; ++i) image.values.insert(image.values.end(), {255, 255, 255, 128});
  const Encoded bytes = encode_raw(image, {.input = JCS_CMYK, .stored = JCS_CMYK});
  DecodeScratch scratch;
  const auto part = decode_jpeg(bytes, {{2, 2, 1, 1}}, {.channels = 1}, scratch);
  ASSERT_TRUE(part.ok()) << part.status().message();
  EXPECT_EQ(part->pixels.channels, 1);
  EXPECT_NEAR(part->pixels.row(0)[0], 128, 1);
}

// Of a smooth image, in which no frequency is lost.
TEST(JpegShrinkTest, ShrunkenPixelsAreTheMeansOfTheirs) {
  const ImageSize size{96, 80};
  for (const ChromaSampling sampling :
       {ChromaSampling::k444, ChromaSampling::k422, ChromaSampling::k420, ChromaSampling::k440,
        ChromaSampling::k411}) {
    Pixels image{size.width, size.height, 3, {}};
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        const int values[] = {20 + 2 * x, 250 - 2 * y, 60 + x};
        for (const int value : values) image.values.push_back(static_cast<std::uint8_t>(value));
      }
    }
    const Encoded bytes = encode(image, {.quality = 98, .sampling = sampling});
    for (int eighths = 1; eighths < 8; ++eighths) {
      const Pixels out = whole_image(bytes, JCS_RGB, eighths);
      ASSERT_EQ(out.width, size.width * eighths / 8);
      ASSERT_EQ(out.height, size.height * eighths / 8);
      // One sample of chroma to four of luma is repeated, not interpolated.
      const double most = sampling == ChromaSampling::k411 && eighths > 4 ? 6.5 : 5;
      const auto place = [&](int i) { return (i + 0.5) * 8 / eighths - 0.5; };
      for (int y = 0; y < out.height; ++y) {
        for (int x = 0; x < out.width; ++x) {
          const std::uint8_t* pixel = out.view().row(y) + 3 * x;
          EXPECT_NEAR(pixel[0], 20 + 2 * place(x), most) << eighths << " " << x << "," << y;
          EXPECT_NEAR(pixel[1], 250 - 2 * place(y), most) << eighths;
          EXPECT_NEAR(pixel[2], 60 + place(x), most) << eighths;
        }
      }
    }
  }
}

TEST(JpegRequestTest, SequentialFilesComeInAnyNumberOfEighths) {
  const Encoded bytes = encode(busy_image({32, 32}, 3), {});
  DecodeScratch scratch;
  for (int eighths = 1; eighths <= 8; ++eighths) {
    EXPECT_EQ(decode_jpeg(bytes, {{0, 0, 32, 32}, eighths}, {}, scratch)->eighths, eighths);
  }
}

TEST(JpegRequestTest, ProgressiveFilesComeInTheNextPowerOfTwo) {
  const Encoded bytes = encode(busy_image({32, 32}, 3), {.is_progressive = true});
  DecodeScratch scratch;
  for (const auto& [limit, eighths] :
       {std::pair{1, 1}, {2, 2}, {3, 4}, {4, 4}, {5, 8}, {7, 8}, {8, 8}}) {
    EXPECT_EQ(decode_jpeg(bytes, {{0, 0, 32, 32}, limit}, {}, scratch)->eighths, eighths);
  }
}

TEST(JpegRequestTest, EighthsOutsideOneToEightAreRefused) {
  const Encoded bytes = encode(busy_image({32, 32}, 3), {});
  DecodeScratch scratch;
  for (const int eighths : {0, 9}) {
    const Status status = decode_jpeg(bytes, {{0, 0, 32, 32}, eighths}, {}, scratch).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_EQ(status.message(), concat("min_eighths is ", eighths, ", expected 1 to 8"));
  }
}

TEST(JpegRequestTest, MemoryFollowsTheRegion) {
  const Encoded bytes = encode(busy_image({512, 512}, 3), {.sampling = ChromaSampling::k444});
  DecodeScratch scratch;
  const ImageRequest request{{200, 400, 10, 10}};
  ASSERT_TRUE(decode_jpeg(bytes, request, {}, scratch).ok());
  EXPECT_LE(scratch.size_bytes(), jpeg_memory_bytes(*read_jpeg_header(bytes), request, 3));
}

TEST(JpegRequestTest, RegionOutsideTheImageIsRefused) {
  const Encoded bytes = encode(busy_image({32, 32}, 3), {});
  DecodeScratch scratch;
  const Status status = decode_jpeg(bytes, {{30, 0, 3, 1}}, {}, scratch).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.message(), "region is 3x1 at 30,0, expected a part of the image of 32x32");
}

}  // namespace
}  // namespace penstock::decode
