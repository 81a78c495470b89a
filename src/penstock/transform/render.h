// The one pass over pixels: resample, colour, convert, lay out, straight into the batch slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "penstock/base/array.h"
#include "penstock/transform/colour.h"
#include "penstock/transform/geometry.h"

namespace penstock::transform {

enum class Layout : std::uint8_t { kCHW, kHWC };

struct PixelFormat {
  DType dtype = DType::kU8;  // kU8, kF16, kBF16 or kF32; u8 is rounded and clamped
  Layout layout = Layout::kHWC;
  int channels = 3;
};

// Buffers that are kept from image to image. One a thread.
class RenderScratch {
 public:
  RenderScratch();
  ~RenderScratch();
  RenderScratch(RenderScratch&&) noexcept;
  RenderScratch& operator=(RenderScratch&&) noexcept;

  struct State;
  State& state() { return *state_; }
  // Bytes held now.
  std::size_t size_bytes() const;

 private:
  std::unique_ptr<State> state_;
};

// Writes geometry.output_size() pixels in `format` to `out`, which is exactly that large. `part`
// covers at least needed_part(geometry) and has as many channels as `format`.
void render(const ImagePart& part, const Geometry& geometry, const Colour& colour,
            const PixelFormat& format, RenderScratch& scratch, MutableBytes out);

}  // namespace penstock::transform
