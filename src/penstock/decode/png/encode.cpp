// Pixels to PNG, by libdeflate.
#include "penstock/decode/png/encode.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "penstock/decode/png/unfilter.h"
#include "penstock/decode/request.h"

namespace penstock::decode {
namespace {

constexpr int kCompressionLevel = 6;

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const {
    libdeflate_free_compressor(compressor);
  }
};

// A row and its neighbours: bytes left of the row and above the first one are 0.
struct Neighbours {
  const std::uint8_t* row = nullptr;
  const std::uint8_t* above = nullptr;  // null for the first row
  std::size_t pixel_bytes = 3;

  std::uint8_t filtered(PngFilter filter, std::size_t i) const {
    const bool has_left = i >= pixel_bytes;
    const int left = has_left ? row[i - pixel_bytes] : 0;
    const int up = above != nullptr ? above[i] : 0;
    const int corner = has_left && above != nullptr ? above[i - pixel_bytes] : 0;
    return static_cast<std::uint8_t>(row[i] - predicted(filter, left, up, corner));
  }

 private:
  static int predicted(PngFilter filter, int left, int up, int corner) {
    switch (filter) {
      case PngFilter::kNone:
        return 0;
      case PngFilter::kSub:
        return left;
      case PngFilter::kUp:
        return up;
      case PngFilter::kAverage:
        return (left + up) / 2;
      case PngFilter::kPaeth:
        break;
    }
    const int by_left = std::abs(up - corner), by_up = std::abs(left - corner);
    const int by_corner = std::abs(left + up - 2 * corner);
    if (by_left <= by_up && by_left <= by_corner) return left;
    return by_up <= by_corner ? up : corner;
  }
};

// Appends the filter whose bytes, taken as signed, have the least sum of sizes, and the row by it
// (PNG specification, section 12.8).
void append_filtered(const Neighbours& pixels, std::size_t row_bytes,
                     std::vector<std::uint8_t>& out) {
  std::vector<std::uint8_t> best, row(row_bytes + 1);
  int best_sum = std::numeric_limits<int>::max();
  for (int filter = 0; filter < kNumPngFilters; ++filter) {
    row[0] = static_cast<std::uint8_t>(filter);
    int sum = 0;
    for (std::size_t i = 0; i < row_bytes; ++i) {
      row[i + 1] = pixels.filtered(static_cast<PngFilter>(filter), i);
      sum += std::abs(static_cast<std::int8_t>(row[i + 1]));
    }
    if (sum >= best_sum) continue;
    best_sum = sum;
    best = row;
  }
  out.insert(out.end(), best.begin(), best.end());
}

std::vector<std::uint8_t> filtered_rows(const ImageView& image) {
  const auto pixel_bytes = static_cast<std::size_t>(image.channels);
  const std::size_t row_bytes = static_cast<std::size_t>(image.width) * pixel_bytes;
  std::vector<std::uint8_t> rows;
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* above = y == 0 ? nullptr : image.row(y - 1);
    append_filtered({image.row(y), above, pixel_bytes}, row_bytes, rows);
  }
  return rows;
}

Result<std::vector<std::byte>> deflated(std::span<const std::uint8_t> rows) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(kCompressionLevel));
  if (compressor == nullptr) return resource_exhausted("no memory for the encoder");
  std::vector<std::byte> out(libdeflate_zlib_compress_bound(compressor.get(), rows.size()));
  out.resize(
      libdeflate_zlib_compress(compressor.get(), rows.data(), rows.size(), out.data(), out.size()));
  return out;
}

void append_number(std::size_t number, std::vector<std::byte>& out) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::byte>(number >> shift));
}

void append_chunk(std::string_view type, Bytes content, std::vector<std::byte>& out) {
  append_number(content.size(), out);
  const std::size_t begin = out.size();
  const Bytes type_bytes = std::as_bytes(std::span(type));
  out.insert(out.end(), type_bytes.begin(), type_bytes.end());
  out.insert(out.end(), content.begin(), content.end());
  append_number(libdeflate_crc32(0, out.data() + begin, out.size() - begin), out);
}

}  // namespace

Result<std::vector<std::byte>> encode_png(const ImageView& image) {
  if (image.width < 1 || image.height < 1) {
    return invalid_argument("image is ", image.width, "x", image.height, ", expected at least 1x1");
  }
  if (image.channels != 1 && image.channels != 3) {
    return invalid_argument("image has ", image.channels, " channels, expected 1 or 3");
  }
  PENSTOCK_TRY(check_image_size({image.width, image.height}, 3));
  PENSTOCK_TRY_ASSIGN(const std::vector<std::byte> compressed, deflated(filtered_rows(image)));

  std::vector<std::byte> header;
  append_number(static_cast<std::size_t>(image.width), header);
  append_number(static_cast<std::size_t>(image.height), header);
  const int colour = image.channels == 3 ? 2 : 0;
  for (const int value : {8, colour, 0, 0, 0}) header.push_back(static_cast<std::byte>(value));

  constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
  const Bytes signature = std::as_bytes(std::span(kSignature));
  std::vector<std::byte> out(signature.begin(), signature.end());
  append_chunk("IHDR", header, out);
  append_chunk("IDAT", compressed, out);
  append_chunk("IEND", {}, out);
  return out;
}

}  // namespace penstock::decode
