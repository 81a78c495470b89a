// The image codecs that penstock knows.
#pragma once

#include <span>
#include <string_view>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

// A codec works on images as they are stored; turning them upright is done once, for all codecs.
struct Codec {
  std::string_view name;
  // Whether bytes with this beginning are for this codec.
  bool (*matches)(Bytes bytes);
  Result<ImageHeader> (*probe)(Bytes bytes);
  // About how much memory decode() would take.
  std::size_t (*memory_bytes)(const ImageHeader& header, const ImageRequest& request, int channels);
  // Gives at least request.region, options.channels bytes (1 or 3) to a pixel.
  Result<ImagePart> (*decode)(const EncodedImage& image, const ImageRequest& request,
                              const DecodeOptions& options, DecodeScratch& scratch);
};

std::span<const Codec> codecs();

}  // namespace penstock::decode
