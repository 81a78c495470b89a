// The list of codecs, and the choice among them by an image's first bytes.
#include "penstock/decode/catalog.h"

#include <algorithm>
#include <array>
#include <string>

#include "penstock/base/units.h"
#include "penstock/decode/bmp/decode.h"
#include "penstock/decode/bmp/header.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/gif/decode.h"
#include "penstock/decode/gif/frame.h"
#include "penstock/decode/jpeg/decode.h"
#include "penstock/decode/jpeg/header.h"
#include "penstock/decode/orientation.h"
#include "penstock/decode/png/decode.h"
#include "penstock/decode/png/header.h"
#include "penstock/decode/tiff/decode.h"
#include "penstock/decode/tiff/layout.h"
#include "penstock/decode/webp/decode.h"
#include "penstock/decode/webp/header.h"

namespace penstock::decode {
namespace {

constexpr std::array kCodecs = {
    Codec{"jpeg", is_jpeg, read_jpeg_header, jpeg_memory_bytes, decode_jpeg},
    Codec{"png", is_png, read_png_header, png_memory_bytes, decode_png},
    Codec{"webp", is_webp, read_webp_header, webp_memory_bytes, decode_webp},
    Codec{"tiff", is_tiff, read_tiff_header, tiff_memory_bytes, decode_tiff},
    Codec{"bmp", is_bmp, read_bmp_header, bmp_memory_bytes, decode_bmp},
    Codec{"gif", is_gif, read_gif_header, gif_memory_bytes, decode_gif},
};

// "4d 5a 90 00": the first bytes, at most four.
std::string first_bytes_text(Bytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes.first(std::min<std::size_t>(bytes.size(), 4))) {
    if (!text.empty()) text += ' ';
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

// "jpeg, png, webp, tiff, bmp or gif".
std::string codec_names() {
  std::string names;
  for (std::size_t i = 0; i < kCodecs.size(); ++i) {
    if (i > 0) names += i + 1 == kCodecs.size() ? " or " : ", ";
    names += kCodecs[i].name;
  }
  return names;
}

Result<const Codec*> find_codec(Bytes bytes) {
  if (bytes.empty()) return corrupt("empty file, expected an image");
  for (const Codec& codec : kCodecs) {
    if (codec.matches(bytes)) return &codec;
  }
  return unsupported("unknown image format, begins with ", first_bytes_text(bytes), ", expected ",
                     codec_names());
}

Result<ImageHeader> probe_stored(const Codec& codec, Bytes bytes, const DecodeOptions& options) {
  PENSTOCK_TRY_ASSIGN(ImageHeader header, codec.probe(bytes).at(codec.name));
  if (!options.applies_orientation) header.orientation = 1;
  return header;
}

Status check_memory(const Codec& codec, const ImageHeader& header, const ImageRequest& stored,
                    int channels, const DecodeScratch& scratch) {
  const std::size_t copies = header.orientation == 1 ? 1 : 2;
  const std::size_t needed = copies * codec.memory_bytes(header, stored, channels);
  if (needed <= scratch.limit_bytes) return {};
  return resource_exhausted("an image of ", header.size.width, "x", header.size.height, " needs ",
                            print_size_bytes(needed), " to be decoded, expected at most ",
                            print_size_bytes(scratch.limit_bytes));
}

}  // namespace

std::span<const Codec> codecs() { return kCodecs; }

Result<ImageSize> probe_image(Bytes bytes, const DecodeOptions& options) {
  PENSTOCK_TRY_ASSIGN(const Codec* codec, find_codec(bytes));
  PENSTOCK_TRY_ASSIGN(const ImageHeader header, probe_stored(*codec, bytes, options));
  return upright_size(header.size, header.orientation);
}

Result<ImagePart> decode_image(const EncodedImage& image, const ImageRequest& request,
                               const DecodeOptions& options, DecodeScratch& scratch) {
  scratch.learnt.clear();
  PENSTOCK_TRY_ASSIGN(const Codec* codec, find_codec(image.bytes));
  PENSTOCK_TRY_ASSIGN(const ImageHeader header, probe_stored(*codec, image.bytes, options));
  PENSTOCK_TRY(
      check_request(request, upright_size(header.size, header.orientation), options.channels)
          .at(codec->name));

  ImageRequest stored = request;
  stored.region = stored_region(request.region, header.size, header.orientation);
  PENSTOCK_TRY(check_memory(*codec, header, stored, options.channels, scratch).at(codec->name));
  PENSTOCK_TRY_ASSIGN(ImagePart part,
                      codec->decode(image, stored, options, scratch).at(codec->name));
  if (header.orientation == 1) return part;
  return turn_upright(part, header.orientation, scratch.state().turned);
}

}  // namespace penstock::decode
