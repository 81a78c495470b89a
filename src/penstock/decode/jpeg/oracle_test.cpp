// Our own decoder against libjpeg-turbo, bit by bit: coefficients, planes and pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "penstock/decode/jpeg/decode.h"
#include "penstock/decode/jpeg/markers.h"
#include "penstock/decode/jpeg/scan.h"
#include "penstock/decode/jpeg/test_reference.h"
#include "penstock/decode/jpeg/test_scan.h"
#include "penstock/decode/jpeg/turbo_decode.h"
#include "penstock/decode/scratch.h"

namespace penstock::decode {
namespace {

// How a file is stored. No columns: gray.
struct Kind {
  int columns = 1;
  int rows = 1;
};
constexpr Kind kKinds[] = {{0, 0}, {1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}};

Encoded encode(const Kind& kind, ImageSize size, ReferenceOptions options) {
  if (kind.columns == 0) return encode_reference(busy_image(size, 1), options);
  options.columns = kind.columns;
  options.rows = kind.rows;
  return encode_reference(busy_image(size, 3), options);
}

int num_channels(Bytes bytes) { return read_frame(bytes)->num_components; }

J_COLOR_SPACE space_of(Bytes bytes) { return num_channels(bytes) == 1 ? JCS_GRAYSCALE : JCS_RGB; }

// --- "" or the first difference. ---

// MCU by MCU.
std::string coefficient_difference(Bytes bytes) {
  OpenScan scan(bytes);
  const Frame& frame = scan.frame;
  const auto expected = reference_coefficients(bytes);
  Bytes rest = bytes.subspan(frame.scan_begin);
  EntropyState state;
  for (int mcu = 0; mcu < scan.num_mcus(); ++mcu) {
    if (mcu == 0 || (frame.restart_interval > 0 && mcu % frame.restart_interval == 0)) {
      const std::size_t num_read = scan.load(rest);
      rest = rest.subspan(std::min(num_read + 2, rest.size()));
      state = scan.begin();
    }
    std::array<std::int16_t, McuLayout::kMaxBlocks * kBlockSize> coefficients{};
    if (!decode_mcus(scan.layout, 1, scan.end(), state, coefficients.data())) {
      return concat("MCU ", mcu, " is refused");
    }
    std::size_t place = 0;
    for (std::size_t c = 0; c < expected.size(); ++c) {
      const FrameComponent& component = frame.components[c];
      const int width =
          (frame.size.width * component.columns + frame.mcu_width() - 1) / frame.mcu_width();
      const int height =
          (frame.size.height * component.rows + frame.mcu_height() - 1) / frame.mcu_height();
      for (int i = 0; i < component.columns * component.rows; ++i, ++place) {
        const int x = mcu % frame.num_mcu_columns() * component.columns + i % component.columns;
        const int y = mcu / frame.num_mcu_columns() * component.rows + i / component.columns;
        if (x >= width || y >= height) continue;  // completes the MCU
        const Block& block = expected[c][static_cast<std::size_t>(y * width + x)];
        if (!std::equal(block.begin(), block.end(), coefficients.begin() + place * kBlockSize)) {
          return concat("block ", x, ",", y, " of component ", c);
        }
      }
    }
  }
  return "";
}

// Samples before upsampling. By decode_scan, so that libjpeg-turbo cannot stand in.
std::string plane_difference(Bytes bytes, DecodeScratch& scratch) {
  const Frame frame = *read_frame(bytes);
  ScanRequest request{.window = {0, frame.num_mcu_columns(), 0, frame.num_mcu_rows()}};
  std::array<std::vector<std::uint8_t>, 3> samples;
  for (std::size_t c = 0; c < static_cast<std::size_t>(frame.num_components); ++c) {
    const auto width = static_cast<std::size_t>(frame.num_mcu_columns() *
                                                frame.components[c].columns * kBlockSide);
    const auto height =
        static_cast<std::size_t>(frame.num_mcu_rows() * frame.components[c].rows * kBlockSide);
    samples[c].resize((width + kPlaneSlack) * height);
    request.planes[c] = {.samples = samples[c].data(), .stride = width + kPlaneSlack};
  }
  EntryPoints none(frame, bytes, {});
  if (!decode_scan(frame, bytes, request, none, false, scratch.state().jpeg)) {
    return "not decoded by us";
  }
  const auto expected = reference_planes(bytes);
  for (std::size_t c = 0; c < expected.size(); ++c) {
    const int columns = static_cast<int>(request.planes[c].stride) - kPlaneSlack;
    const int rows = static_cast<int>(samples[c].size() / request.planes[c].stride);
    for (int y = 0; y < std::min(rows, expected[c].height); ++y) {
      const std::uint8_t* row =
          samples[c].data() + static_cast<std::size_t>(y) * request.planes[c].stride;
      if (!std::equal(row, row + std::min(columns, expected[c].width), expected[c].view().row(y))) {
        return concat("row ", y, " of plane ", c);
      }
    }
  }
  return "";
}

std::string pixel_difference(const EncodedImage& image, const Rect& region, const Pixels& expected,
                             DecodeScratch& scratch) {
  const auto part = decode_jpeg(image, {region}, {.channels = expected.channels}, scratch);
  if (!part.ok()) return std::string(part.status().message());
  const std::string found = difference(*part, region, expected);
  if (found.empty()) return "";
  return concat(found, ", region ", region.width, "x", region.height, " at ", region.x, ",",
                region.y);
}

// Everything, of the whole image.
std::string whole_difference(Bytes bytes, DecodeScratch& scratch) {
  std::string found = coefficient_difference(bytes);
  if (!found.empty()) return "coefficients: " + found;
  found = plane_difference(bytes, scratch);
  if (!found.empty()) return "planes: " + found;
  const Pixels expected = reference_pixels(bytes, space_of(bytes));
  found = pixel_difference(bytes, whole(expected), expected, scratch);
  return found.empty() ? "" : "pixels: " + found;
}

// --- Whole images. ---

class OracleTest : public testing::TestWithParam<Kind> {
 protected:
  std::string any_difference(Bytes bytes) { return whole_difference(bytes, scratch_); }

 private:
  DecodeScratch scratch_;
};

TEST_P(OracleTest, AgreesAtEveryQuality) {
  for (int quality = 1; quality <= 100; ++quality) {
    const bool optimises = quality % 2 == 0;
    EXPECT_EQ(
        any_difference(encode(GetParam(), {19, 18}, {.quality = quality, .optimises = optimises})),
        "")
        << quality;
  }
}

TEST_P(OracleTest, AgreesAtEverySize) {
  constexpr ImageSize kSizes[] = {{1, 1}, {1, 17}, {17, 1}, {7, 9}, {8, 8}, {15, 17}, {33, 31}};
  for (const ImageSize size : kSizes) {
    for (const int restart_interval : {0, 1, 2, 7}) {
      for (const bool optimises : {false, true}) {
        const ReferenceOptions options{.restart_interval = restart_interval,
                                       .optimises = optimises};
        EXPECT_EQ(any_difference(encode(GetParam(), size, options)), "")
            << size.width << "x" << size.height << " with restart interval " << restart_interval;
      }
    }
  }
}

TEST_P(OracleTest, AgreesWithRestartMarkersAfterEachRow) {
  const ImageSize size{70, 50};
  const int columns = read_frame(encode(GetParam(), size, {}))->num_mcu_columns();
  EXPECT_EQ(any_difference(encode(GetParam(), size, {.restart_interval = columns})), "");
}

TEST_P(OracleTest, AgreesOnLongAndOnHighImages) {
  EXPECT_EQ(any_difference(encode(GetParam(), {8192, 17}, {.quality = 60})), "");
  EXPECT_EQ(any_difference(encode(GetParam(), {17, 8192}, {.restart_interval = 7})), "");
}

// Steps of two bytes.
TEST_P(OracleTest, AgreesOnTheCoarsestQuantisation) {
  for (const int quality : {1, 2, 5}) {
    const Encoded bytes =
        encode(GetParam(), {61, 47}, {.quality = quality, .forces_baseline = false});
    EXPECT_EQ(any_difference(bytes), "") << quality;
  }
}

TEST_P(OracleTest, AgreesOnBlackWhiteAndStripes) {
  for (const int period : {1, 2, 3, 1000}) {
    for (const int phase : {0, 1}) {
      Pixels image = busy_image({40, 24}, GetParam().columns == 0 ? 1 : 3);
      for (std::size_t i = 0; i < image.values.size(); ++i) {
        const auto x = static_cast<int>(i) / image.channels;
        image.values[i] = (x / period + phase) % 2 == 0 ? 0 : 255;
      }
      const ReferenceOptions options{.quality = 100,
                                     .columns = std::max(GetParam().columns, 1),
                                     .rows = std::max(GetParam().rows, 1)};
      EXPECT_EQ(any_difference(encode_reference(image, options)), "") << period;
    }
  }
}

// --- Files that are not quite as libjpeg writes them. ---

TEST_P(OracleTest, FillBytesBeforeMarkersChangeNothing) {
  const Encoded bytes = encode(GetParam(), {33, 31}, {});
  Encoded filled(bytes.begin(), bytes.begin() + 2);
  SegmentReader segments(bytes);
  for (std::size_t from = 2;;) {
    const auto segment = segments.next();
    ASSERT_TRUE(segment.ok() && *segment);
    filled.insert(filled.end(), 3, std::byte{0xff});
    const bool is_scan = (*segment)->marker == kSos;
    const std::size_t to = is_scan ? bytes.size() : segments.position();
    filled.insert(filled.end(), bytes.begin() + static_cast<std::ptrdiff_t>(from),
                  bytes.begin() + static_cast<std::ptrdiff_t>(to));
    from = to;
    if (is_scan) break;
  }
  EXPECT_EQ(any_difference(filled), "");
  EXPECT_EQ(reference_pixels(filled, space_of(filled)).values,
            reference_pixels(bytes, space_of(bytes)).values);
}

TEST_P(OracleTest, BytesBehindTheEndChangeNothing) {
  Encoded bytes = encode(GetParam(), {33, 31}, {});
  for (const int value : {0x00, 0xff, 0xd0, 0xff, 0xd9, 0x12}) {
    bytes.push_back(static_cast<std::byte>(value));
    EXPECT_EQ(any_difference(bytes), "");
  }
}

TEST_P(OracleTest, AMissingEndMarkerChangesNothing) {
  Encoded bytes = encode(GetParam(), {33, 31}, {});
  bytes.resize(bytes.size() - 2);
  EXPECT_EQ(any_difference(bytes), "");
}

// What is inserted stands behind the start of the image.
TEST_P(OracleTest, WhatLibjpegTurboDoesNotKnowIsRefused) {
  const std::vector<std::vector<int>> odd = {
      {0xff, 0xd8}, {0xff, 0x02, 0, 2}, {0xff, 0xc8, 0, 2}, {0xff, 0xde, 0, 2}, {0xff, 0xf0, 0, 2}};
  for (const auto& values : odd) {
    Encoded bytes = encode(GetParam(), {33, 31}, {});
    for (std::size_t i = 0; i < values.size(); ++i) {
      bytes.insert(bytes.begin() + 2 + static_cast<std::ptrdiff_t>(i),
                   static_cast<std::byte>(values[i]));
    }
    DecodeScratch scratch;
    const DecodeOptions options{.channels = 1};
    EXPECT_FALSE(decode_jpeg_by_turbo(bytes, {{0, 0, 33, 31}}, options, scratch).ok());
    EXPECT_FALSE(decode_jpeg(bytes, {{0, 0, 33, 31}}, options, scratch).ok()) << values[1];
  }
}

// --- Crops. ---

TEST_P(OracleTest, CropsArePartsOfTheWhole) {
  const ImageSize size{150, 110};
  for (const int restart_interval : {0, 1, 7}) {
    const Encoded bytes =
        encode(GetParam(), size, {.quality = 92, .restart_interval = restart_interval});
    const Pixels expected = reference_pixels(bytes, space_of(bytes));
    Rng rng({.seed = 3});
    DecodeScratch scratch;
    for (int i = 0; i < 25; ++i) {
      EXPECT_EQ(pixel_difference(bytes, random_region(size, rng), expected, scratch), "");
    }
  }
}

TEST_P(OracleTest, CropsFromEntryPointsArePartsOfTheWhole) {
  const ImageSize size{200, 130};
  const Encoded bytes = encode(GetParam(), size, {.quality = 97});
  const Pixels expected = reference_pixels(bytes, space_of(bytes));
  DecodeScratch scratch;
  scratch.learns_entry_points = true;
  EXPECT_EQ(pixel_difference(bytes, whole(expected), expected, scratch), "");
  const std::vector<std::byte> points = scratch.learnt;
  ASSERT_FALSE(points.empty());
  Rng rng({.seed = 4});
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(pixel_difference({bytes, points}, random_region(size, rng), expected, scratch), "");
  }
}

TEST_P(OracleTest, CropsFromEntryPointsOfEarlierCropsArePartsOfTheWhole) {
  const ImageSize size{200, 130};
  const Encoded bytes = encode(GetParam(), size, {.quality = 97});
  const Pixels expected = reference_pixels(bytes, space_of(bytes));
  Rng rng({.seed = 5});
  for (int round = 0; round < 4; ++round) {
    std::vector<std::byte> points;
    DecodeScratch scratch;
    scratch.learns_entry_points = true;
    for (int i = 0; i < 12; ++i) {
      scratch.learnt.clear();
      EXPECT_EQ(pixel_difference({bytes, points}, random_region(size, rng), expected, scratch), "");
      if (!scratch.learnt.empty()) points = scratch.learnt;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, OracleTest, testing::ValuesIn(kKinds));

}  // namespace
}  // namespace penstock::decode
