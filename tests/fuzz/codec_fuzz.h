// What the fuzz targets of image codecs have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "penstock/decode/catalog.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {

// Any bytes as an image of this codec: whole and in part, in colour and gray. Aborts if a part of a
// good image is bad or has other pixels.
inline void fuzz_codec(std::string_view name, const std::uint8_t* data, std::size_t size) {
  constexpr std::int64_t kMaxPixels = 1 << 18;  // larger images only cost time
  constexpr std::size_t kMaxWholeBytes = 1 << 26;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  const Codec& codec = *std::ranges::find(codecs(), name, &Codec::name);
  if (!codec.matches(bytes)) return;
  const auto header = codec.probe(bytes);
  if (!header.ok() || std::int64_t{header->size.width} * header->size.height > kMaxPixels) return;
  if (header->whole_bytes > kMaxWholeBytes) return;

  DecodeScratch whole_scratch;
  DecodeScratch scratch;
  const DecodeOptions options{.channels = size % 3 == 0 ? 1 : 3};
  const ImageRequest request{{0, 0, header->size.width, header->size.height}};
  const auto whole = codec.decode(bytes, request, options, whole_scratch);
  const int x = data[size / 2] % header->size.width;
  const int y = data[size / 3] % header->size.height;
  const Rect region{x, y, 1 + (header->size.width - x) / 2, 1};
  const auto part = codec.decode(bytes, {region}, options, scratch);
  if (!whole.ok()) return;

  if (!part.ok() || !part_difference(*part, region, *whole).empty()) std::abort();
}

}  // namespace penstock::decode
