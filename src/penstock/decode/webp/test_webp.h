// WebP files for tests.
#pragma once

#include <webp/encode.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {

struct WebpOptions {
  bool is_lossless = false;
  int filter_type = 1;       // of the lossy codec: 0 simple, 1 strong
  int filter_strength = 60;  // 0 to 100
};

// An RGB image as a WebP file.
inline Encoded encode_webp(const ImageView& image, const WebpOptions& options) {
  WebPConfig config;
  WebPConfigInit(&config);
  config.lossless = options.is_lossless ? 1 : 0;
  config.filter_type = options.filter_type;
  config.filter_strength = options.filter_strength;
  config.exact = 1;
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  WebPPicture picture;
  WebPPictureInit(&picture);
  picture.use_argb = config.lossless;
  picture.width = image.width;
  picture.height = image.height;
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  WebPPictureImportRGB(&picture, image.data, static_cast<int>(image.stride));
  const bool is_encoded = WebPEncode(&config, &picture) != 0;
  const auto* begin = reinterpret_cast<const std::byte*>(writer.mem);
  Encoded bytes;
  if (is_encoded) bytes.assign(begin, begin + writer.size);
  WebPPictureFree(&picture);
  WebPMemoryWriterClear(&writer);
  return bytes;
}

// Little-endian, `size` bytes.
inline std::string webp_number(std::size_t value, int size) {
  std::string text;
  for (int i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

inline std::string webp_chunk(std::string_view name, std::string payload) {
  const std::string size = webp_number(payload.size(), 4);
  if (payload.size() % 2 != 0) payload += '\0';
  return std::string(name) + size + payload;
}

// The chunks of a file, with VP8X in front.
inline Encoded extended_webp(ImageSize canvas, unsigned flags, std::string_view chunks) {
  const std::string header = webp_chunk(
      "VP8X", webp_number(flags, 4) + webp_number(static_cast<std::size_t>(canvas.width - 1), 3) +
                  webp_number(static_cast<std::size_t>(canvas.height - 1), 3));
  const std::string content = "WEBP" + header + std::string(chunks);
  const std::string file = "RIFF" + webp_number(content.size(), 4) + content;
  const auto* begin = reinterpret_cast<const std::byte*>(file.data());
  return {begin, begin + file.size()};
}

// The chunks of a file without its header.
inline std::string webp_chunks(const Encoded& file) {
  return {reinterpret_cast<const char*>(file.data()) + 12, file.size() - 12};
}

// An animation of one frame; the frame's place is even.
inline Encoded animated_webp(ImageSize canvas, const Rect& place, const Encoded& frame) {
  std::string header;
  for (const int value : {place.x / 2, place.y / 2, place.width - 1, place.height - 1, 100}) {
    header += webp_number(static_cast<std::size_t>(value), 3);
  }
  const std::string chunks = webp_chunk("ANIM", std::string(6, '\0')) +
                             webp_chunk("ANMF", header + '\0' + webp_chunks(frame));
  return extended_webp(canvas, 0x02, chunks);
}

}  // namespace penstock::decode
