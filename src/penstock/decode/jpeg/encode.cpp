// Pixels to JPEG, by libjpeg-turbo.
#include "penstock/decode/jpeg/encode.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
// jpeglib.h needs size_t and FILE to be declared before it.
#include <jpeglib.h>

#include <array>

namespace penstock::decode {
namespace {

// What libjpeg allocates on the way; freed whichever way encoding ends.
struct Compressor {
  jpeg_compress_struct cinfo{};
  jpeg_error_mgr errors{};
  std::jmp_buf escape{};
  unsigned char* encoded = nullptr;
  unsigned long size_bytes = 0;

  Compressor() {
    cinfo.err = jpeg_std_error(&errors);
    cinfo.client_data = this;
    errors.error_exit = [](j_common_ptr common) {
      std::longjmp(static_cast<Compressor*>(common->client_data)->escape, 1);
    };
    errors.emit_message = [](j_common_ptr, int) {};
  }
  ~Compressor() {
    jpeg_destroy_compress(&cinfo);
    std::free(encoded);
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
};

struct Factors {
  int across = 1;
  int down = 1;
};

Factors luma_factors(ChromaSampling sampling) {
  switch (sampling) {
    case ChromaSampling::k444:
      return {1, 1};
    case ChromaSampling::k422:
      return {2, 1};
    case ChromaSampling::k420:
      return {2, 2};
    case ChromaSampling::k440:
      return {1, 2};
    case ChromaSampling::k411:
      return {4, 1};
  }
  return {1, 1};
}

void set_options(jpeg_compress_struct& cinfo, const ImageView& image, const JpegOptions& options) {
  cinfo.image_width = static_cast<JDIMENSION>(image.width);
  cinfo.image_height = static_cast<JDIMENSION>(image.height);
  cinfo.input_components = image.channels;
  cinfo.in_color_space = image.channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(&cinfo);
  jpeg_set_quality(&cinfo, options.quality, TRUE);
  if (image.channels == 3) {
    const Factors factors = luma_factors(options.sampling);
    cinfo.comp_info[0].h_samp_factor = factors.across;
    cinfo.comp_info[0].v_samp_factor = factors.down;
  }
  cinfo.arith_code = options.is_arithmetic ? TRUE : FALSE;
  cinfo.restart_interval = static_cast<unsigned>(options.restart_interval);
  if (options.is_progressive) jpeg_simple_progression(&cinfo);
}

// The smallest EXIF block: one directory with one entry.
void write_orientation(jpeg_compress_struct& cinfo, int orientation) {
  const std::array<JOCTET, 32> exif = {'E', 'x',
                                       'i', 'f',
                                       0,   0,  // APP1 of this kind
                                       'M', 'M',
                                       0,   42,
                                       0,   0,
                                       0,   8,  // big-endian, directory at 8
                                       0,   1,  // one entry
                                       1,   0x12,
                                       0,   3,
                                       0,   0,
                                       0,   1,  // Orientation, one short
                                       0,   static_cast<JOCTET>(orientation),
                                       0,   0,
                                       0,   0,
                                       0,   0};  // its value, no other directory
  jpeg_write_marker(&cinfo, JPEG_APP0 + 1, exif.data(), exif.size());
}

Status check(const ImageView& image, const JpegOptions& options) {
  if (image.width < 1 || image.height < 1 || image.width > JPEG_MAX_DIMENSION ||
      image.height > JPEG_MAX_DIMENSION) {
    return invalid_argument("image is ", image.width, "x", image.height,
                            ", expected sides from 1 to ", JPEG_MAX_DIMENSION);
  }
  if (image.channels != 1 && image.channels != 3) {
    return invalid_argument("image has ", image.channels, " channels, expected 1 or 3");
  }
  if (options.quality < 1 || options.quality > 100) {
    return invalid_argument("quality is ", options.quality, ", expected 1 to 100");
  }
  if (options.restart_interval < 0 || options.restart_interval > 65535) {
    return invalid_argument("restart_interval is ", options.restart_interval,
                            ", expected 0 to 65535");
  }
  if (options.orientation < 0 || options.orientation > 8) {
    return invalid_argument("orientation is ", options.orientation, ", expected 0 to 8");
  }
  return {};
}

// Everything that libjpeg may leave by longjmp; no object here has a destructor.
bool compress(Compressor& compressor, const ImageView& image, const JpegOptions& options) {
  if (setjmp(compressor.escape) != 0) return false;
  jpeg_compress_struct& cinfo = compressor.cinfo;
  jpeg_create_compress(&cinfo);
  jpeg_mem_dest(&cinfo, &compressor.encoded, &compressor.size_bytes);
  set_options(cinfo, image, options);
  jpeg_start_compress(&cinfo, TRUE);
  if (options.orientation != 0) write_orientation(cinfo, options.orientation);
  for (int y = 0; y < image.height; ++y) {
    // libjpeg only reads; its signature is older than const.
    JSAMPROW row = const_cast<JSAMPROW>(image.row(y));
    jpeg_write_scanlines(&cinfo, &row, 1);
  }
  jpeg_finish_compress(&cinfo);
  return true;
}

}  // namespace

Result<std::vector<std::byte>> encode_jpeg(const ImageView& image, const JpegOptions& options) {
  PENSTOCK_TRY(check(image, options));
  Compressor compressor;
  if (!compress(compressor, image, options)) {
    std::array<char, JMSG_LENGTH_MAX> text{};
    compressor.errors.format_message(reinterpret_cast<j_common_ptr>(&compressor.cinfo),
                                     text.data());
    return internal_error("libjpeg says: ", std::string_view(text.data()));
  }
  const auto* begin = reinterpret_cast<const std::byte*>(compressor.encoded);
  return std::vector<std::byte>(begin, begin + compressor.size_bytes);
}

}  // namespace penstock::decode
