// What every image codec promises, over the whole catalog. A new codec adds its sample here.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/rng.h"
#include "penstock/decode/bmp/test_bmp.h"
#include "penstock/decode/catalog.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/gif/test_gif.h"
#include "penstock/decode/jpeg/encode.h"
#include "penstock/decode/png/encode.h"
#include "penstock/decode/test_pixels.h"
#include "penstock/decode/tiff/test_tiff.h"
#include "penstock/decode/webp/test_webp.h"

namespace penstock::decode {
namespace {

constexpr ImageSize kSize{53, 39};

std::vector<std::uint8_t> sample_pixels() {
  std::vector<std::uint8_t> pixels;
  Rng rng({.seed = 2});
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width * 3; ++x) {
      pixels.push_back(static_cast<std::uint8_t>((x * 2 + y * 5) % 200 + rng.below(50)));
    }
  }
  return pixels;
}

Encoded sample_file(std::string_view codec) {
  const std::vector<std::uint8_t> pixels = sample_pixels();
  const ImageView view{pixels.data(), kSize.width, kSize.height, 3,
                       static_cast<std::size_t>(kSize.width * 3)};
  if (codec == "jpeg") return encode_jpeg(view, {}).value();
  if (codec == "png") return encode_png(view).value();
  if (codec == "webp") return encode_webp(view, {});
  if (codec == "tiff") return encode_tiff(view);
  if (codec == "bmp") return encode_bmp(view);
  if (codec == "gif") return encode_gif(view);
  return {};
}

std::vector<Rect> sample_regions() {
  std::vector<Rect> regions = {{0, 0, kSize.width, kSize.height},
                               {0, 0, 1, 1},
                               {kSize.width - 1, kSize.height - 1, 1, 1},
                               {0, kSize.height - 1, kSize.width, 1},
                               {kSize.width - 1, 0, 1, kSize.height}};
  Rng rng({.seed = 4});
  for (int i = 0; i < 30; ++i) {
    Rect region;
    region.x = static_cast<int>(rng.below(kSize.width));
    region.y = static_cast<int>(rng.below(kSize.height));
    region.width = 1 + static_cast<int>(rng.below(static_cast<unsigned>(kSize.width - region.x)));
    region.height = 1 + static_cast<int>(rng.below(static_cast<unsigned>(kSize.height - region.y)));
    regions.push_back(region);
  }
  return regions;
}

bool covers(const ImagePart& part, const Rect& region) {
  const Rect found = pixels_of(part, region);
  return found.x >= 0 && found.y >= 0 && found.x + found.width <= part.pixels.width &&
         found.y + found.height <= part.pixels.height;
}

class DecodeContractTest : public testing::TestWithParam<Codec> {
 protected:
  Encoded file_ = sample_file(GetParam().name);
  Rect whole_{0, 0, kSize.width, kSize.height};
};

TEST_P(DecodeContractTest, HasASample) { EXPECT_FALSE(file_.empty()); }

TEST_P(DecodeContractTest, KnowsItsOwnBytesOnly) {
  for (const Codec& other : codecs()) {
    EXPECT_EQ(other.matches(file_), other.name == GetParam().name);
  }
}

TEST_P(DecodeContractTest, ProbeAgreesWithDecode) {
  DecodeScratch scratch;
  EXPECT_EQ(*probe_image(file_, {}), kSize);
  EXPECT_EQ(decode_image(file_, {whole_}, {}, scratch)->full_size, kSize);
}

TEST_P(DecodeContractTest, ARegionHasThePixelsOfTheWhole) {
  for (const int channels : {1, 3}) {
    for (int eighths = 1; eighths <= 8; ++eighths) {
      DecodeScratch whole_scratch;
      DecodeScratch scratch;
      const DecodeOptions options{.channels = channels};
      const ImagePart whole = *decode_image(file_, {whole_, eighths}, options, whole_scratch);
      for (const Rect& region : sample_regions()) {
        const ImagePart part = *decode_image(file_, {region, eighths}, options, scratch);
        ASSERT_TRUE(covers(part, region));
        ASSERT_EQ(part.pixels.channels, channels);
        ASSERT_EQ(part.eighths, whole.eighths);
        ASSERT_GE(part.eighths, eighths);
        EXPECT_EQ(copied_region(part, region), copied_region(whole, region));
      }
    }
  }
}

TEST_P(DecodeContractTest, ScratchLeavesNoTrace) {
  const Rect region{5, 7, 20, 11};
  DecodeScratch fresh;
  const auto expected = copied_region(*decode_image(file_, {region}, {}, fresh), region);
  DecodeScratch used;
  for (const Codec& other : codecs()) {
    const Encoded file = sample_file(other.name);
    ASSERT_TRUE(decode_image(file, {whole_}, {}, used).ok());
    EXPECT_FALSE(decode_image(Bytes(file).first(file.size() / 2), {whole_}, {}, used).ok());
  }
  EXPECT_EQ(copied_region(*decode_image(file_, {region}, {}, used), region), expected);
}

TEST_P(DecodeContractTest, ATruncatedFileIsCorruptOrHasEveryPixel) {
  DecodeScratch whole_scratch;
  const auto whole = copied_region(*decode_image(file_, {whole_}, {}, whole_scratch), whole_);
  for (std::size_t size = 12; size < file_.size(); ++size) {
    // A copy of just this size, so that sanitizers see a read beyond it.
    const Encoded cut(file_.begin(), file_.begin() + static_cast<std::ptrdiff_t>(size));
    DecodeScratch scratch;
    const auto part = decode_image(cut, {whole_}, {}, scratch);
    if (part.ok()) {
      EXPECT_EQ(copied_region(*part, whole_), whole) << size;
    } else {
      EXPECT_EQ(part.status().code(), Code::kCorrupt) << part.status().message();
      EXPECT_TRUE(part.status().message().starts_with(std::string(GetParam().name) + ": "));
    }
  }
}

TEST_P(DecodeContractTest, RefusesARegionOutsideTheImage) {
  DecodeScratch scratch;
  for (const Rect& region : {Rect{0, 0, 0, 1}, Rect{-1, 0, 2, 2}, Rect{0, 0, kSize.width + 1, 1},
                             Rect{kSize.width, 0, 1, 1}, Rect{1, 1, 2147483647, 2147483647}}) {
    EXPECT_EQ(decode_image(file_, {region}, {}, scratch).status().code(), Code::kInvalidArgument);
  }
}

TEST(DecodeContractEmptyTest, AnEmptyFileIsCorrupt) {
  DecodeScratch scratch;
  EXPECT_EQ(decode_image(Bytes{}, {{0, 0, 1, 1}}, {}, scratch).status().code(), Code::kCorrupt);
}

INSTANTIATE_TEST_SUITE_P(Catalog, DecodeContractTest,
                         testing::ValuesIn(codecs().begin(), codecs().end()),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace penstock::decode
