// The memory that decoders keep from image to image.
#include "penstock/decode/scratch.h"

#include <memory>

#include "penstock/decode/png/state.h"

namespace penstock::decode {

MutableImage PixelBuffer::prepare(ImageSize size, int channels) {
  const std::size_t row_bytes =
      static_cast<std::size_t>(size.width) * static_cast<std::size_t>(channels);
  const std::size_t stride = (row_bytes + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t needed = stride * static_cast<std::size_t>(size.height) + 2 * kAlignment;
  if (needed > size_bytes_) {
    memory_.reset();
    size_bytes_ = 0;
    memory_ = std::make_unique_for_overwrite<std::uint8_t[]>(needed);
    size_bytes_ = needed;
  }
  void* start = memory_.get();
  std::size_t space = size_bytes_;
  std::align(kAlignment, needed - kAlignment, start, space);
  return {static_cast<std::uint8_t*>(start), size.width, size.height, channels, stride};
}

DecodeScratch::State::State() = default;
DecodeScratch::State::~State() = default;

DecodeScratch::DecodeScratch() : state_(std::make_unique<State>()) {}
DecodeScratch::~DecodeScratch() = default;
DecodeScratch::DecodeScratch(DecodeScratch&&) noexcept = default;
DecodeScratch& DecodeScratch::operator=(DecodeScratch&&) noexcept = default;

std::size_t DecodeScratch::size_bytes() const {
  std::size_t total = state_->pixels.size_bytes() + state_->turned.size_bytes() +
                      state_->line.size_bytes() + state_->jpeg.size_bytes();
  for (const PixelBuffer& plane : state_->planes) total += plane.size_bytes();
  if (state_->png != nullptr) total += state_->png->size_bytes();
  return total;
}

}  // namespace penstock::decode
