// From the bytes of an encoded image to pixels: only the region asked for, as coarse as allowed.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::decode {

struct DecodeOptions {
  bool applies_orientation = true;  // turn the image upright as its EXIF data says
  int channels = 3;                 // 3: RGB, whatever the file holds; 1: gray
  bool checks_sums = false;         // compare with the checksums that a file has of its content
};

// An encoded image, and what is known about it.
struct EncodedImage {
  // Implicit: nothing is known.
  template <std::convertible_to<Bytes> T>
  EncodedImage(const T& image) : bytes(image) {}
  EncodedImage(Bytes image, Bytes points) : bytes(image), entry_points(points) {}

  Bytes bytes;
  // DecodeScratch::learnt of an earlier decode. If it does not belong to these bytes it is not
  // used.
  Bytes entry_points;
};

// Buffers and codec state that are kept from image to image. One a thread.
class DecodeScratch {
 public:
  DecodeScratch();
  ~DecodeScratch();
  DecodeScratch(DecodeScratch&&) noexcept;
  DecodeScratch& operator=(DecodeScratch&&) noexcept;

  struct State;
  State& state() { return *state_; }
  // Bytes held now.
  std::size_t size_bytes() const;

  // An image that would need more memory than this is refused with kResourceExhausted.
  std::size_t limit_bytes = std::numeric_limits<std::size_t>::max();

  // Whether decoding keeps places inside the image where a later decode can begin.
  bool learns_entry_points = false;
  // Set by every decode_image(): the entry points of its image, known and new; empty if it found no
  // new ones.
  std::vector<std::byte> learnt;

 private:
  std::unique_ptr<State> state_;
};

// The size of the upright image, from the header alone. Fails with kCorrupt or kUnsupported, naming
// the codec: "jpeg: ...".
Result<ImageSize> probe_image(Bytes bytes, const DecodeOptions& options);

// The pixels of request.region, exactly those of the whole decoded image (at the same eighths).
// What the part covers beyond the region may differ from the whole image. The view points into
// `scratch` and is valid until its next use; 64 bytes past the end of each row may be read. If the
// image was mirrored to be upright and shrunken, the part may begin a fraction of a pixel left of
// the image or above it. Truncated or damaged data is kCorrupt, never pixels that were made up.
Result<ImagePart> decode_image(const EncodedImage& image, const ImageRequest& request,
                               const DecodeOptions& options, DecodeScratch& scratch);

}  // namespace penstock::decode
