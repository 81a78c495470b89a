// Places inside a scan where decoding can begin: a bit position and what the DC coefficients there
// are predicted from. They let a decoder go straight to a crop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/decode/jpeg/frame.h"

namespace penstock::decode {

struct EntryPoint {
  std::uint64_t bit = 0;  // from the beginning of the scan in the file, stuffed bytes counted
  std::array<std::int32_t, 3> dc{};
};

// Entry points lie at every column_step-th MCU of every row_step-th row of MCUs.
struct EntryGrid {
  int column_step = 0;  // 0: none
  int row_step = 0;

  // As dense as kMaxShare of the file's size allows.
  static EntryGrid choose(const Frame& frame, std::size_t file_bytes);
};

// The entry points of one image, in the order of the scan, from its beginning on as far as they are
// known. As bytes (docs/entry_points.md) they are checked against themselves and the image: its
// size, a checksum of its header and of bytes here and there in its scan.
class EntryPoints {
 public:
  // None if `record` is empty, damaged, or of another image.
  EntryPoints(const Frame& frame, Bytes image, Bytes record);

  bool can_grow() const { return grid_.column_step > 0 && points_.size() < num_places_; }
  std::size_t size() const { return points_.size(); }
  const EntryPoint& operator[](std::size_t i) const { return points_[i]; }

  // The number of the last place at or before MCU `mcu` (counted in the order of the scan).
  // Precondition: there is a grid.
  std::size_t place_before(int mcu) const;
  // The MCU of place `i`; that behind the last one for a place that does not exist.
  int mcu_of(std::size_t i) const;

  // Takes the point of place size(). Once one does not fit the format, none are taken any more.
  void add(const EntryPoint& point);

  std::vector<std::byte> encode(const Frame& frame, Bytes image) const;

 private:
  bool decode(const Frame& frame, Bytes image, Bytes record);

  EntryGrid grid_;
  int num_columns_ = 0;  // of MCUs
  int num_mcus_ = 0;
  int num_components_ = 0;
  std::size_t row_places_ = 0;  // in each row that has them
  std::size_t num_places_ = 0;
  std::vector<EntryPoint> points_;
};

}  // namespace penstock::decode
