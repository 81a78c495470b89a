// What libspng makes of a PNG, for tests and fuzzing.
#pragma once

#include <spng.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/decode/pixel_convert.h"

namespace penstock::decode {

// What libspng decodes, 8 bits a channel; nothing if it finds a flaw other than a wrong checksum.
inline std::optional<std::vector<std::uint8_t>> decode_by_spng(Bytes bytes, int channels) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_IGNORE_ADLER32);
  spng_set_crc_action(context, SPNG_CRC_USE, SPNG_CRC_USE);
  spng_set_png_buffer(context, bytes.data(), bytes.size());
  std::size_t size = 0;
  std::vector<std::uint8_t> values;
  int error = spng_decoded_image_size(context, SPNG_FMT_RGB8, &size);
  if (error == 0) {
    values.resize(size);
    error = spng_decode_image(context, values.data(), size, SPNG_FMT_RGB8, 0);
  }
  if (error == 0) error = spng_decode_chunks(context);
  spng_ctx_free(context);
  if (error != 0) return {};
  if (channels == 1) {
    convert_rgb_to_gray(values.data(), static_cast<int>(size / 3), values.data());
    values.resize(size / 3);
  }
  return values;
}

}  // namespace penstock::decode
