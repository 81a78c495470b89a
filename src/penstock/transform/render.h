// The one pass over pixels: resample, colour, convert, lay out, straight into the batch slot.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/transform/colour.h"
#include "penstock/transform/geometry.h"

namespace penstock::transform {

enum class Layout : std::uint8_t { kCHW, kHWC };

struct PixelFormat {
  DType dtype = DType::kU8;  // kU8, kF16, kBF16 or kF32; integers are rounded and clamped
  Layout layout = Layout::kHWC;
  int channels = 3;
};

// Buffers that are kept from image to image. One a thread.
class RenderScratch;

// Writes geometry.output_size() pixels in `format` to `out`, which is exactly that large. `part`
// covers at least needed_part(geometry).
void render(const ImagePart& part, const Geometry& geometry, const Colour& colour,
            const PixelFormat& format, RenderScratch& scratch, MutableBytes out);

}  // namespace penstock::transform
