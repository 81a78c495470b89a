// Finds the Orientation tag in a TIFF directory (EXIF 2.3, section 4.6; TIFF 6.0, section 2).
#include "penstock/decode/exif.h"

#include <cstddef>
#include <cstdint>

namespace penstock::decode {
namespace {

constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShort = 3;
constexpr std::size_t kHeaderBytes = 8;
constexpr std::size_t kEntryBytes = 12;

struct TiffReader {
  Bytes bytes;
  bool is_big_endian = false;

  // `offset + size` lies inside `bytes`; `size` is 2 or 4.
  std::uint32_t number(std::size_t offset, std::size_t size) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t place = is_big_endian ? i : size - 1 - i;
      value = value << 8 | std::to_integer<std::uint32_t>(bytes[offset + place]);
    }
    return value;
  }
};

}  // namespace

int exif_orientation(Bytes tiff) {
  if (tiff.size() < kHeaderBytes) return 1;
  const bool is_big_endian = tiff[0] == std::byte{'M'};
  const TiffReader reader{tiff, is_big_endian};
  if (tiff[0] != tiff[1] || (!is_big_endian && tiff[0] != std::byte{'I'})) return 1;
  if (reader.number(2, 2) != 42) return 1;

  const std::size_t directory = reader.number(4, 4);
  if (directory > tiff.size() - 2) return 1;
  const std::size_t num_entries = reader.number(directory, 2);
  for (std::size_t i = 0; i < num_entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (entry + kEntryBytes > tiff.size()) return 1;
    if (reader.number(entry, 2) != kOrientationTag) continue;
    if (reader.number(entry + 2, 2) != kShort) return 1;
    const std::uint32_t value = reader.number(entry + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

}  // namespace penstock::decode
