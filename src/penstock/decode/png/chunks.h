// The chunks of a PNG: what the image is like, its palette, and where its compressed rows lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::decode {

// The big-endian number at `offset`, which the caller has checked.
std::uint32_t png_number(Bytes bytes, std::size_t offset);

// "IDAT" as a number.
constexpr std::uint32_t png_type(const char (&name)[5]) {
  std::uint32_t type = 0;
  for (int i = 0; i < 4; ++i) type = type << 8 | static_cast<std::uint8_t>(name[i]);
  return type;
}

inline constexpr std::size_t kPngSignatureBytes = 8;

struct PngChunk {
  std::uint32_t type = 0;
  std::size_t offset = 0;  // of its first byte, which is its length's
  Bytes content;
  Bytes summed;  // type and content, which the checksum covers

  // "IDAT chunk at byte 33".
  std::string text() const;
};

// Walks over chunks. Neither their order nor their checksums matter to it.
class PngChunkReader {
 public:
  explicit PngChunkReader(Bytes bytes, std::size_t offset = kPngSignatureBytes)
      : bytes_(bytes), offset_(offset) {}

  // The next chunk, IEND being the last that is asked for. The checksum of IEND may be missing.
  // kCorrupt if the bytes end before the chunk does.
  Result<PngChunk> next();

 private:
  Bytes bytes_;
  std::size_t offset_;
};

enum class PngColour : std::uint8_t {
  kGray = 0,
  kRgb = 2,
  kPalette = 3,
  kGrayAlpha = 4,
  kRgba = 6,
};

// What IHDR says.
struct PngFormat {
  ImageSize size;
  int depth = 8;  // bits of a sample: 1, 2, 4, 8 or 16
  PngColour colour = PngColour::kRgb;
  bool is_interlaced = false;

  int num_samples() const;  // of a pixel
  int pixel_bits() const { return num_samples() * depth; }
  // As filters count: at least 1.
  int pixel_bytes() const { return (pixel_bits() + 7) / 8; }
  // Of one row of this many pixels, without its filter.
  std::size_t row_bytes(int width) const;
};

// kCorrupt unless the bytes begin with a signature and an IHDR chunk as the PNG specification has
// them. Does not compare the checksum.
Result<PngFormat> read_png_format(Bytes bytes);

struct PngChunks {
  PngFormat format;
  Bytes palette;               // three bytes a colour
  std::size_t data_begin = 0;  // where the first IDAT chunk begins
  std::size_t data_bytes = 0;  // what the IDAT chunks hold together
  int num_data_chunks = 0;
};

// Every chunk up to IEND. Those that are not needed to decode pixels are not looked into, unless
// `checks_sums`, which compares all checksums. kUnsupported for a critical chunk that is unknown;
// kCorrupt for a file that ends early, lacks something or has it in the wrong place.
Result<PngChunks> read_png_chunks(Bytes bytes, bool checks_sums);

// The content of all IDAT chunks: in place if there is one, else put together in `joined`, which
// has room for chunks.data_bytes.
Bytes png_data(Bytes bytes, const PngChunks& chunks, std::byte* joined);

}  // namespace penstock::decode
