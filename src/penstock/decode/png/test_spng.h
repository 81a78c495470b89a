// What libspng makes of a PNG, for tests and fuzzing.
#pragma once

#include <spng.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/decode/pixel_convert.h"

namespace penstock::decode {

struct SpngDecoded {
  int error = 0;                     // libspng's
  std::vector<std::uint8_t> values;  // row by row, if there was none
};

// 8 bits a channel. Wrong checksums are no flaw.
inline SpngDecoded decode_by_spng(Bytes bytes, int channels) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_IGNORE_ADLER32);
  spng_set_crc_action(context, SPNG_CRC_USE, SPNG_CRC_USE);
  spng_set_png_buffer(context, bytes.data(), bytes.size());
  std::size_t size = 0;
  SpngDecoded decoded;
  decoded.error = spng_decoded_image_size(context, SPNG_FMT_RGB8, &size);
  if (decoded.error == 0) {
    decoded.values.resize(size);
    decoded.error = spng_decode_image(context, decoded.values.data(), size, SPNG_FMT_RGB8, 0);
  }
  if (decoded.error == 0) decoded.error = spng_decode_chunks(context);
  spng_ctx_free(context);
  if (channels == 1) {
    convert_rgb_to_gray(decoded.values.data(), static_cast<int>(size / 3), decoded.values.data());
    decoded.values.resize(size / 3);
  }
  return decoded;
}

}  // namespace penstock::decode
