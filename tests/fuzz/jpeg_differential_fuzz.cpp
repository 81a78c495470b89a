// Any bytes as a JPEG, by our own decoder and by libjpeg-turbo: both must take the file or refuse
// it, and its pixels must be the same, whole and in part, with entry points and without. Entry
// points that are damaged, or of another image, must change nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "penstock/decode/decode.h"
#include "penstock/decode/jpeg/decode.h"
#include "penstock/decode/jpeg/header.h"
#include "penstock/decode/jpeg/turbo_decode.h"
#include "penstock/decode/test_pixels.h"

namespace {

using namespace penstock;
using namespace penstock::decode;

// Larger images only cost time.
constexpr std::int64_t kMaxPixels = 1 << 16;

// Aborts on a broken promise.
void require(bool is_true) {
  if (!is_true) std::abort();
}

bool has_same_pixels(const ImagePart& part, const ImagePart& whole, const Rect& region) {
  return part.pixels.channels == whole.pixels.channels &&
         part_difference(part, region, whole).empty();
}

// Numbers that depend on all of the input.
class Choices {
 public:
  explicit Choices(std::span<const std::uint8_t> data) {
    for (const std::uint8_t byte : data) state_ = (state_ ^ byte) * 0x100000001b3;
  }
  int below(int bound) {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(bound));
  }
  Rect region(ImageSize size) {
    const int x = below(size.width), y = below(size.height);
    return {x, y, 1 + below(size.width - x), 1 + below(size.height - y)};
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

// Bytes in the form of entry points, with a few of them changed.
std::vector<std::byte> damaged(std::vector<std::byte> points, std::span<const std::uint8_t> data,
                               Choices& choices) {
  if (points.empty()) points.resize(static_cast<std::size_t>(16 + 7 * choices.below(20)));
  for (int i = choices.below(4); i >= 0; --i) {
    const auto place = static_cast<std::size_t>(choices.below(static_cast<int>(points.size())));
    points[place] ^= static_cast<std::byte>(
        data[static_cast<std::size_t>(choices.below(static_cast<int>(data.size())))]);
  }
  if (choices.below(8) == 0) points.resize(points.size() / 2);
  return points;
}

struct Case {
  Bytes bytes;
  ImageSize size;
  DecodeOptions options;
  const ImagePart& whole;  // by libjpeg-turbo
};

// Decodes a region; returns the entry points learnt, or those that were known.
std::vector<std::byte> check_region(const Case& c, const Rect& region,
                                    const std::vector<std::byte>& points) {
  DecodeScratch scratch;
  scratch.learns_entry_points = true;
  const auto part = decode_jpeg({c.bytes, points}, {region}, c.options, scratch);
  require(part.ok() && has_same_pixels(*part, c.whole, region));
  return scratch.learnt.empty() ? points : scratch.learnt;
}

// A file without errors: crops, with entry points that grow and with damaged ones.
void check_regions(const Case& c, std::span<const std::uint8_t> data) {
  Choices choices(data);
  std::vector<std::byte> points;
  for (int i = 0; i < 3; ++i) points = check_region(c, choices.region(c.size), points);
  points = check_region(c, {0, 0, c.size.width, c.size.height}, points);
  (void)check_region(c, choices.region(c.size), points);
  (void)check_region(c, choices.region(c.size), damaged(points, data, choices));
}

// A file in which something may be wrong: entry points made of the input must not crash.
void try_regions(Bytes bytes, ImageSize size, std::span<const std::uint8_t> data) {
  Choices choices(data);
  DecodeScratch scratch;
  scratch.learns_entry_points = true;
  for (int i = 0; i < 2; ++i) {
    const auto points = damaged(scratch.learnt, data, choices);
    (void)decode_jpeg({bytes, points}, {choices.region(size)}, {}, scratch).ok();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> input(data, size);
  const Bytes bytes = std::as_bytes(input);
  if (!is_jpeg(bytes)) return 0;
  const auto header = read_jpeg_header(bytes);
  if (!header.ok()) return 0;
  const ImageSize image = header->size;
  if (std::int64_t{image.width} * image.height > kMaxPixels) return 0;

  const ImageRequest request{{0, 0, image.width, image.height}};
  const DecodeOptions options{.channels = size % 4 == 0 ? 1 : 3};
  DecodeScratch turbo_scratch, scratch;
  const auto expected = decode_jpeg_by_turbo(bytes, request, options, turbo_scratch);
  const auto whole = decode_jpeg(bytes, request, options, scratch);
  require(expected.ok() == whole.ok());
  if (expected.ok()) {
    require(has_same_pixels(*whole, *expected, request.region));
    check_regions({bytes, image, options, *expected}, input);
  } else {
    try_regions(bytes, image, input);
  }
  return 0;
}
