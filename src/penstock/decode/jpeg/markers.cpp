// A walk over the segments of a JPEG.
#include "penstock/decode/jpeg/markers.h"

#include <algorithm>
#include <array>

namespace penstock::decode {
namespace {

bool stands_alone(unsigned marker) { return marker == kTem || (marker >= kRst0 && marker < kSoi); }

}  // namespace

bool has_end_marker(Bytes scans) {
  constexpr std::array kEnd = {std::byte{0xff}, static_cast<std::byte>(kEoi)};
  return std::find_end(scans.begin(), scans.end(), kEnd.begin(), kEnd.end()) != scans.end();
}

// 0 at the end of the bytes.
unsigned SegmentReader::next_marker() {
  while (position_ + 1 < bytes_.size()) {
    if (byte_at(bytes_, position_) == 0xff) {
      const unsigned code = byte_at(bytes_, position_ + 1);
      if (code != 0 && code != 0xff) {
        position_ += 2;
        return code;
      }
    }
    ++position_;
  }
  return 0;
}

Result<std::optional<Segment>> SegmentReader::next() {
  unsigned marker = next_marker();
  while (stands_alone(marker)) marker = next_marker();
  if (marker == 0 || marker == kEoi || bytes_.size() - position_ < 2)
    return std::optional<Segment>();
  if (marker == kSoi) return corrupt("second start of an image at byte ", position_ - 2);
  const std::size_t length = u16_at(bytes_, position_);
  if (length < 2) {
    return corrupt("segment at byte ", position_, " has length ", length, ", expected at least 2");
  }
  const std::size_t present = std::min(length, bytes_.size() - position_);
  const Segment segment{marker, position_, bytes_.subspan(position_ + 2, present - 2),
                        present == length};
  position_ += present;
  return std::optional(segment);
}

}  // namespace penstock::decode
