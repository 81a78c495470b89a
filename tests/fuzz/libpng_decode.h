// What libpng makes of a PNG.
#pragma once

#include <png.h>

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "penstock/base/array.h"

namespace penstock::decode {

// Reads from memory, and forgets every word.
struct LibpngInput {
  Bytes bytes;
  std::size_t position = 0;
};

inline void read_libpng_input(png_structp png, png_bytep out, std::size_t size) {
  auto* input = static_cast<LibpngInput*>(png_get_io_ptr(png));
  if (size > input->bytes.size() - input->position) png_error(png, "end");
  std::memcpy(out, input->bytes.data() + input->position, size);
  input->position += size;
}

inline void fail_libpng(png_structp png, png_const_charp) { png_longjmp(png, 1); }
inline void warn_libpng(png_structp, png_const_charp) {}

// A frame of its own, because libpng leaves it with longjmp().
inline bool read_by_libpng(png_structp png, png_infop info, std::vector<std::uint8_t>& values,
                           std::vector<png_bytep>& rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_info(png, info);
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  png_set_gray_to_rgb(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const std::size_t row_bytes = png_get_rowbytes(png, info);
  values.resize(row_bytes * png_get_image_height(png, info));
  for (std::size_t at = 0; at < values.size(); at += row_bytes) rows.push_back(values.data() + at);
  png_read_image(png, rows.data());
  png_read_end(png, nullptr);
  return true;
}

// RGB of 8 bits, row by row, alpha dropped, of 16 bits the upper 8; empty if libpng refuses the
// image. Wrong checksums are no flaw.
inline std::vector<std::uint8_t> decode_by_libpng(Bytes bytes) {
  LibpngInput input{bytes};
  std::vector<std::uint8_t> values;
  std::vector<png_bytep> rows;
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, &fail_libpng, &warn_libpng);
  png_infop info = png_create_info_struct(png);
  png_set_read_fn(png, &input, &read_libpng_input);
  png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
  png_set_option(png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
  if (!read_by_libpng(png, info, values, rows)) values.clear();
  png_destroy_read_struct(&png, &info, nullptr);
  return values;
}

}  // namespace penstock::decode
