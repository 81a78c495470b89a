#include "penstock/decode/jpeg/frame.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "penstock/decode/jpeg/markers.h"

namespace penstock::decode {
namespace {

struct TestSegment {
  int marker = 0;
  std::vector<int> payload;
};

using Header = std::vector<TestSegment>;

// Places in usual_header().
enum Place : std::size_t { kQuant, kFrame, kDcCode, kAcCode, kScan };

std::vector<int> quant_payload(int head, int bytes_per_step) {
  std::vector<int> payload = {head};
  for (int k = 0; k < kBlockSize; ++k) {
    if (bytes_per_step == 2) payload.push_back(1);
    payload.push_back(k);
  }
  return payload;
}

// Codes 0 and 10.
std::vector<int> code_payload(int head, int first, int second) {
  return {head, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, first, second};
}

// 33x20, 4:2:0, all components with tables 0.
Header usual_header() {
  return {{0xdb, quant_payload(0, 1)},
          {0xc0, {8, 0, 20, 0, 33, 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0}},
          {0xc4, code_payload(0x00, 3, 4)},
          {0xc4, code_payload(0x10, 0x00, 0x12)},
          {0xda, {3, 1, 0x00, 2, 0x00, 3, 0x00, 0, 63, 0}}};
}

Header gray_header() {
  Header header = usual_header();
  header[kFrame].payload = {8, 0, 20, 0, 33, 1, 1, 0x11, 0};
  header[kScan].payload = {1, 1, 0x00, 0, 63, 0};
  return header;
}

std::vector<std::byte> encoded(const Header& header) {
  std::vector<int> values = {0xff, 0xd8};
  for (const TestSegment& segment : header) {
    const auto length = static_cast<int>(segment.payload.size()) + 2;
    values.insert(values.end(), {0xff, segment.marker, length >> 8, length & 255});
    values.insert(values.end(), segment.payload.begin(), segment.payload.end());
  }
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::optional<Frame> read(const Header& header) { return read_frame(encoded(header)); }

// The header with `change` made to it is taken.
bool takes(const std::function<void(Header&)>& change) {
  Header header = usual_header();
  change(header);
  return read(header).has_value();
}

void insert(Header& header, std::size_t place, const TestSegment& segment) {
  header.insert(header.begin() + static_cast<std::ptrdiff_t>(place), segment);
}

std::vector<int> text_payload(const std::string& text, std::size_t size) {
  std::vector<int> payload(text.begin(), text.end());
  payload.resize(size);
  return payload;
}

// --- What is read. ---

TEST(FrameTest, SizeAndSamplingAreThoseOfTheFrameHeader) {
  const auto frame = read(usual_header());
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->size.width, 33);
  EXPECT_EQ(frame->size.height, 20);
  EXPECT_EQ(frame->num_components, 3);
  EXPECT_EQ(frame->mcu_width(), 16);
  EXPECT_EQ(frame->mcu_height(), 16);
  EXPECT_EQ(frame->num_mcu_columns(), 3);
  EXPECT_EQ(frame->num_mcu_rows(), 2);
}

TEST(FrameTest, TheScanBeginsBehindItsHeader) {
  const auto bytes = encoded(usual_header());
  EXPECT_EQ(read_frame(bytes)->scan_begin, bytes.size());
}

TEST(FrameTest, QuantisationStepsAreLaidOutRowByRow) {
  const auto frame = read(usual_header());
  const QuantTable& steps = frame->quant_tables[0];
  EXPECT_EQ(steps[0], 0);
  EXPECT_EQ(steps[1], 1);
  EXPECT_EQ(steps[8], 2);
  EXPECT_EQ(steps[16], 3);
  EXPECT_EQ(steps[9], 4);
  EXPECT_EQ(steps[62], 62);
  EXPECT_EQ(steps[63], 63);
}

TEST(FrameTest, QuantisationStepsMayHaveTwoBytes) {
  Header header = usual_header();
  header[kQuant].payload = quant_payload(0x10, 2);
  EXPECT_EQ(read(header)->quant_tables[0][8], 256 + 2);
}

TEST(FrameTest, OneSegmentMayHoldSeveralTables) {
  Header header = usual_header();
  const auto second = quant_payload(0x13, 2);
  header[kQuant].payload.insert(header[kQuant].payload.end(), second.begin(), second.end());
  header[kDcCode].payload.insert(header[kDcCode].payload.end(), header[kAcCode].payload.begin(),
                                 header[kAcCode].payload.end());
  header.erase(header.begin() + kAcCode);
  const auto frame = read(header);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->quant_tables[3][63], 256 + 63);
  EXPECT_EQ(frame->ac_codes[0].symbols[1], 0x12);
}

TEST(FrameTest, HuffmanCodesAreKeptAsTheyAre) {
  const auto frame = read(usual_header());
  EXPECT_EQ(frame->dc_codes[0].counts[1], 1);
  EXPECT_EQ(frame->dc_codes[0].counts[2], 1);
  EXPECT_EQ(frame->dc_codes[0].counts[3], 0);
  EXPECT_EQ(frame->dc_codes[0].symbols[0], 3);
  EXPECT_EQ(frame->dc_codes[0].symbols[1], 4);
}

TEST(FrameTest, TheScanHeaderNamesTheTables) {
  Header header = usual_header();
  insert(header, kDcCode, {0xc4, code_payload(0x02, 3, 4)});
  insert(header, kDcCode, {0xc4, code_payload(0x13, 3, 4)});
  header.back().payload[4] = 0x23;
  const auto frame = read(header);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->components[1].dc_table, 2);
  EXPECT_EQ(frame->components[1].ac_table, 3);
  EXPECT_EQ(frame->components[2].dc_table, 0);
}

TEST(FrameTest, TheLastTableOfANumberCounts) {
  Header header = usual_header();
  insert(header, kScan, {0xc4, code_payload(0x00, 7, 8)});
  EXPECT_EQ(read(header)->dc_codes[0].symbols[0], 7);
}

TEST(FrameTest, TheRestartIntervalIsRead) {
  Header header = usual_header();
  insert(header, kScan, {0xdd, {1, 2}});
  EXPECT_EQ(read(header)->restart_interval, 258);
}

TEST(FrameTest, ExtendedSequentialImagesAreTaken) {
  EXPECT_TRUE(takes([](Header& header) { header[kFrame].marker = 0xc1; }));
}

TEST(FrameTest, UsualSamplingsAreTaken) {
  for (const int luma : {0x11, 0x21, 0x22, 0x12, 0x41}) {
    EXPECT_TRUE(takes([&](Header& header) { header[kFrame].payload[7] = luma; })) << luma;
  }
}

TEST(FrameTest, AGrayImageHasMcusOfOneBlockWhateverItsSampling) {
  for (const int sampling : {0x11, 0x22, 0x34, 0x44}) {
    Header header = gray_header();
    header[kFrame].payload[7] = sampling;
    const auto frame = read(header);
    ASSERT_TRUE(frame) << sampling;
    EXPECT_EQ(frame->mcu_width(), 8);
    EXPECT_EQ(frame->mcu_height(), 8);
  }
}

TEST(FrameTest, CommentsAndApplicationDataArePassedOver) {
  for (const int marker : {0xfe, 0xe1, 0xe2, 0xef, 0xdc}) {
    EXPECT_TRUE(takes([&](Header& header) { insert(header, kFrame, {marker, {1, 2, 3}}); }));
  }
}

// --- What is left to libjpeg-turbo. ---

TEST(FrameTest, OtherKindsOfFramesAreLeft) {
  for (const int marker : {0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf}) {
    EXPECT_FALSE(takes([&](Header& header) { header[kFrame].marker = marker; })) << marker;
  }
}

TEST(FrameTest, SegmentsThatLibjpegDoesNotKnowAreLeft) {
  for (const int marker : {0x02, 0xbf, 0xc8, 0xcc, 0xde, 0xdf, 0xf0, 0xfd}) {
    EXPECT_FALSE(takes([&](Header& header) { insert(header, kFrame, {marker, {1, 2}}); }))
        << marker;
  }
}

TEST(FrameTest, BytesThatDoNotBeginAnImageAreLeft) {
  auto bytes = encoded(usual_header());
  bytes[1] = std::byte{0xd9};
  EXPECT_FALSE(read_frame(bytes));
}

TEST(FrameTest, SidesThatLibjpegDoesNotTakeAreLeft) {
  const auto takes_width = [](int width) {
    return takes([&](Header& header) {
      header[kFrame].payload[3] = width >> 8;
      header[kFrame].payload[4] = width & 255;
    });
  };
  EXPECT_TRUE(takes_width(65500));
  EXPECT_FALSE(takes_width(65501));
  EXPECT_FALSE(takes([](Header& header) {
    header[kFrame].payload[1] = 0xff;
    header[kFrame].payload[2] = 0xff;
  }));
}

TEST(FrameTest, OtherPrecisionsAreLeft) {
  EXPECT_FALSE(takes([](Header& header) { header[kFrame].payload[0] = 12; }));
}

TEST(FrameTest, AHeightOrWidthOfZeroIsLeft) {
  EXPECT_FALSE(takes([](Header& header) { header[kFrame].payload[2] = 0; }));
  EXPECT_FALSE(takes([](Header& header) { header[kFrame].payload[4] = 0; }));
}

TEST(FrameTest, OtherNumbersOfComponentsAreLeft) {
  for (const int num : {0, 2, 4}) {
    Header header = usual_header();
    auto& payload = header[kFrame].payload;
    payload[5] = num;
    payload.resize(static_cast<std::size_t>(6 + 3 * num), 0x11);
    EXPECT_FALSE(read(header)) << num;
  }
}

TEST(FrameTest, AFrameHeaderOfAnotherLengthIsLeft) {
  EXPECT_FALSE(takes([](Header& header) { header[kFrame].payload.push_back(0); }));
  EXPECT_FALSE(takes([](Header& header) { header[kFrame].payload.resize(5); }));
}

TEST(FrameTest, ASecondFrameHeaderIsLeft) {
  EXPECT_FALSE(takes([](Header& header) { insert(header, kDcCode, header[kFrame]); }));
}

TEST(FrameTest, UnusualSamplingsAreLeft) {
  for (const int luma : {0x00, 0x01, 0x10, 0x13, 0x14, 0x31, 0x24, 0x42, 0x44, 0x51}) {
    EXPECT_FALSE(takes([&](Header& header) { header[kFrame].payload[7] = luma; })) << luma;
  }
  for (const std::size_t chroma : {10, 13}) {
    EXPECT_FALSE(takes([&](Header& header) { header[kFrame].payload[chroma] = 0x21; })) << chroma;
    EXPECT_FALSE(takes([&](Header& header) { header[kFrame].payload[chroma] = 0x12; })) << chroma;
  }
}

TEST(FrameTest, AGrayImageWithAnImpossibleSamplingIsLeft) {
  for (const int sampling : {0x01, 0x10, 0x51, 0x15}) {
    Header header = gray_header();
    header[kFrame].payload[7] = sampling;
    EXPECT_FALSE(read(header)) << sampling;
  }
}

TEST(FrameTest, TableNumbersAboveThreeAreLeft) {
  EXPECT_FALSE(takes([](Header& header) { header[kFrame].payload[8] = 4; }));
  EXPECT_FALSE(takes([](Header& header) { header[kQuant].payload[0] = 4; }));
  EXPECT_FALSE(takes([](Header& header) { header[kDcCode].payload[0] = 0x04; }));
  EXPECT_FALSE(takes([](Header& header) { header[kScan].payload[2] = 0x40; }));
  EXPECT_FALSE(takes([](Header& header) { header[kScan].payload[2] = 0x04; }));
}

TEST(FrameTest, TablesThatAreNotThereAreLeft) {
  EXPECT_FALSE(takes([](Header& header) { header[kFrame].payload[8] = 1; }));
  EXPECT_FALSE(takes([](Header& header) { header[kScan].payload[2] = 0x10; }));
  EXPECT_FALSE(takes([](Header& header) { header[kScan].payload[2] = 0x01; }));
}

TEST(FrameTest, UnknownClassesOfTablesAreLeft) {
  EXPECT_FALSE(takes([](Header& header) { header[kQuant].payload[0] = 0x20; }));
  EXPECT_FALSE(takes([](Header& header) { header[kDcCode].payload[0] = 0x20; }));
}

TEST(FrameTest, TablesThatAreCutAreLeft) {
  EXPECT_FALSE(takes([](Header& header) { header[kQuant].payload.pop_back(); }));
  EXPECT_FALSE(takes([](Header& header) { header[kQuant].payload[0] = 0x10; }));
  EXPECT_FALSE(takes([](Header& header) { header[kAcCode].payload.pop_back(); }));
  EXPECT_FALSE(takes([](Header& header) { header[kAcCode].payload.resize(16); }));
}

TEST(FrameTest, AByteTooManyInATableIsLeft) {
  EXPECT_FALSE(takes([](Header& header) { header[kQuant].payload.push_back(0); }));
  EXPECT_FALSE(takes([](Header& header) { header[kAcCode].payload.push_back(0); }));
}

TEST(FrameTest, MoreThan256SymbolsAreLeft) {
  std::vector<int> payload(17 + 257, 0);
  payload[0] = 0x10;
  payload[15] = 255;
  payload[16] = 2;
  EXPECT_FALSE(takes([&](Header& header) { header[kAcCode].payload = payload; }));
}

TEST(FrameTest, ARestartIntervalOfAnotherLengthIsLeft) {
  EXPECT_FALSE(takes([](Header& header) { insert(header, kScan, {0xdd, {1}}); }));
  EXPECT_FALSE(takes([](Header& header) { insert(header, kScan, {0xdd, {1, 2, 3}}); }));
}

TEST(FrameTest, ScansOfSomeComponentsAreLeft) {
  EXPECT_FALSE(takes([](Header& header) { header[kScan].payload = {1, 1, 0x00, 0, 63, 0}; }));
}

TEST(FrameTest, ScansInAnotherOrderAreLeft) {
  EXPECT_FALSE(takes(
      [](Header& header) { header[kScan].payload = {3, 2, 0x00, 1, 0x00, 3, 0x00, 0, 63, 0}; }));
}

TEST(FrameTest, ComponentsOfOneNameAreLeft) {
  EXPECT_FALSE(takes([](Header& header) {
    header[kFrame].payload[9] = 1;
    header[kScan].payload[3] = 1;
  }));
}

TEST(FrameTest, PartsOfTheSpectrumAreLeft) {
  EXPECT_FALSE(takes([](Header& header) { header[kScan].payload[7] = 1; }));
  EXPECT_FALSE(takes([](Header& header) { header[kScan].payload[8] = 62; }));
  EXPECT_FALSE(takes([](Header& header) { header[kScan].payload[9] = 0x01; }));
}

TEST(FrameTest, AScanHeaderOfAnotherLengthIsLeft) {
  EXPECT_FALSE(takes([](Header& header) { header[kScan].payload.push_back(0); }));
  EXPECT_FALSE(takes([](Header& header) { header[kScan].payload.pop_back(); }));
}

TEST(FrameTest, AScanBeforeTheFrameHeaderIsLeft) {
  EXPECT_FALSE(takes([](Header& header) { header.erase(header.begin() + kFrame); }));
}

TEST(FrameTest, EveryCutInTheHeaderIsLeft) {
  const auto bytes = encoded(usual_header());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(read_frame(Bytes(bytes).first(size))) << size;
  }
}

// --- Which colours they are. ---

TEST(FrameTest, ComponentsNamedRgbAreLeft) {
  const auto name_rgb = [](Header& header) {
    for (const std::size_t i : {0, 1, 2}) {
      header[kFrame].payload[6 + 3 * i] = "RGB"[i];
      header[kScan].payload[1 + 2 * i] = "RGB"[i];
    }
  };
  EXPECT_FALSE(takes(name_rgb));
  // JFIF knows YCbCr only.
  EXPECT_TRUE(takes([&](Header& header) {
    name_rgb(header);
    insert(header, kQuant, {0xe0, text_payload("JFIF", 14)});
  }));
}

TEST(FrameTest, AdobeSaysWhetherColoursAreTransformed) {
  for (const auto& [transform, is_taken] : {std::pair{0, false}, {1, true}, {2, true}}) {
    auto adobe = text_payload("Adobe", 12);
    adobe[11] = transform;
    EXPECT_EQ(takes([&](Header& header) { insert(header, kQuant, {0xee, adobe}); }), is_taken);
  }
}

TEST(FrameTest, JfifCountsMoreThanAdobe) {
  EXPECT_TRUE(takes([](Header& header) {
    insert(header, kQuant, {0xee, text_payload("Adobe", 12)});
    insert(header, kQuant, {0xe0, text_payload("JFIF", 14)});
  }));
}

TEST(FrameTest, ShortApplicationDataSaysNothing) {
  EXPECT_TRUE(takes([](Header& header) {
    insert(header, kQuant, {0xee, text_payload("Adobe", 11)});
    insert(header, kQuant, {0xe0, text_payload("J", 1)});
  }));
}

}  // namespace
}  // namespace penstock::decode
