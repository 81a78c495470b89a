// The segments of a JPEG before its first scan (ITU-T T.81, annex B).
#pragma once

#include <cstddef>
#include <optional>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::decode {

// The second byte of a marker.
enum Marker : unsigned {
  kTem = 0x01,
  kDht = 0xc4,
  kRst0 = 0xd0,
  kSoi = 0xd8,
  kEoi = 0xd9,
  kSos = 0xda,
  kDqt = 0xdb,
  kDnl = 0xdc,
  kDri = 0xdd,
  kApp0 = 0xe0,
  kApp1 = 0xe1,
  kApp14 = 0xee,
  kApp15 = 0xef,
  kCom = 0xfe,
};

inline unsigned byte_at(Bytes bytes, std::size_t offset) {
  return std::to_integer<unsigned>(bytes[offset]);
}

inline unsigned u16_at(Bytes bytes, std::size_t offset) {
  return byte_at(bytes, offset) << 8 | byte_at(bytes, offset + 1);
}

// SOF0 to SOF15, without DHT, JPG and DAC, which lie among them.
inline bool is_frame_header(unsigned marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != kDht && marker != 0xc8 && marker != 0xcc;
}

// Whether the bytes behind the header hold an end marker: the last two, unless something was
// appended. In a scan every 0xff is followed by a stuffed 0 or another marker.
bool has_end_marker(Bytes scans);

struct Segment {
  unsigned marker = 0;
  std::size_t offset = 0;  // of its length, behind the marker
  Bytes payload;           // without the length; shorter than said if the file ends in it
  bool is_whole = false;
};

// Walks over segments. Fill bytes and garbage before a marker are passed over, as libjpeg does.
class SegmentReader {
 public:
  explicit SegmentReader(Bytes bytes) : bytes_(bytes) {}

  // The next one that has a length; SOS is the last. None at EOI or at the end of the bytes. Fails
  // with kCorrupt if a length makes no sense, or at a second SOI.
  Result<std::optional<Segment>> next();

  // Where the last segment ends.
  std::size_t position() const { return position_; }

 private:
  unsigned next_marker();

  Bytes bytes_;
  std::size_t position_ = 2;  // behind SOI
};

}  // namespace penstock::decode
