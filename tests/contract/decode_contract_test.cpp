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

// The bytes of the delivered pixels that stand for `region`, row by row.
std::vector<std::uint8_t> region_values(const ImagePart& part, const Rect& region) {
  const int left = (region.x - part.origin_x) / part.shrink * part.pixels.channels;
  const int right =
      ((region.x + region.width - part.origin_x - 1) / part.shrink + 1) * part.pixels.channels;
  const int top = (region.y - part.origin_y) / part.shrink;
  const int bottom = (region.y + region.height - part.origin_y - 1) / part.shrink + 1;
  std::vector<std::uint8_t> values;
  for (int y = top; y < bottom; ++y) {
    values.insert(values.end(), part.pixels.row(y) + left, part.pixels.row(y) + right);
  }
  return values;
}

bool covers(const ImagePart& part, const Rect& region) {
  return part.origin_x <= region.x && part.origin_y <= region.y &&
         part.origin_x + part.pixels.width * part.shrink >= region.x + region.width &&
         part.origin_y + part.pixels.height * part.shrink >= region.y + region.height;
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
    for (const int max_shrink : {1, 2, 4, 8}) {
      DecodeScratch whole_scratch;
      DecodeScratch scratch;
      const DecodeOptions options{.channels = channels};
      const ImagePart whole = *decode_image(file_, {whole_, max_shrink}, options, whole_scratch);
      for (const Rect& region : sample_regions()) {
        const ImagePart part = *decode_image(file_, {region, max_shrink}, options, scratch);
        ASSERT_TRUE(covers(part, region));
        ASSERT_EQ(part.pixels.channels, channels);
        ASSERT_EQ(part.shrink, whole.shrink);
        ASSERT_LE(part.shrink, max_shrink);
        EXPECT_EQ(region_values(part, region), region_values(whole, region));
      }
    }
  }
}

TEST_P(DecodeContractTest, ScratchLeavesNoTrace) {
  const Rect region{5, 7, 20, 11};
  DecodeScratch fresh;
  const auto expected = region_values(*decode_image(file_, {region}, {}, fresh), region);
  DecodeScratch used;
  for (const Codec& other : codecs()) {
    const Encoded file = sample_file(other.name);
    ASSERT_TRUE(decode_image(file, {whole_}, {}, used).ok());
    EXPECT_FALSE(decode_image(Bytes(file).first(file.size() / 2), {whole_}, {}, used).ok());
  }
  EXPECT_EQ(region_values(*decode_image(file_, {region}, {}, used), region), expected);
}

TEST_P(DecodeContractTest, ATruncatedFileIsCorruptOrHasEveryPixel) {
  DecodeScratch whole_scratch;
  const auto whole = region_values(*decode_image(file_, {whole_}, {}, whole_scratch), whole_);
  for (std::size_t size = 12; size < file_.size(); ++size) {
    // A copy of just this size, so that sanitizers see a read beyond it.
    const Encoded cut(file_.begin(), file_.begin() + static_cast<std::ptrdiff_t>(size));
    DecodeScratch scratch;
    const auto part = decode_image(cut, {whole_}, {}, scratch);
    if (part.ok()) {
      EXPECT_EQ(region_values(*part, whole_), whole) << size;
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
