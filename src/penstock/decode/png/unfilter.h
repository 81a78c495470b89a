// Undoes the filters of PNG rows (PNG specification, section 9).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace penstock::decode {

enum class PngFilter : std::uint8_t { kNone, kSub, kUp, kAverage, kPaeth };
inline constexpr int kNumPngFilters = 5;

// Undoes the filter of the first `size` bytes of `row`, whole pixels and at least one, in place.
// `above` is the unfiltered row before, zeros for the first one.
using UnfilterRow = void (*)(std::uint8_t* row, const std::uint8_t* above, std::size_t size);

// How many bytes behind a row an UnfilterRow may read.
inline constexpr std::size_t kUnfilterSlackBytes = 8;

// One for each PngFilter.
using Unfilters = std::array<UnfilterRow, kNumPngFilters>;

// For pixels of 1, 2, 3, 4, 6 or 8 bytes, and the best instructions of this CPU.
Unfilters choose_unfilters(int pixel_bytes);

// Whether rows of this filter need the row above.
constexpr bool needs_row_above(PngFilter filter) { return filter >= PngFilter::kUp; }

}  // namespace penstock::decode
