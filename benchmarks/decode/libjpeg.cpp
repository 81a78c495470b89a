// libjpeg-turbo by its own interface.
#include <algorithm>
#include <cstdio>
// jpeglib.h needs size_t and FILE to be declared before it.
#include <jpeglib.h>

#include "methods.h"

namespace penstock::decode {
namespace {

// Any error ends the program: the images are sound.
class Decompressor {
 public:
  explicit Decompressor(const BenchImage& image) {
    cinfo.err = jpeg_std_error(&errors_);
    errors_.emit_message = [](j_common_ptr, int) {};
    jpeg_create_decompress(&cinfo);
    jpeg_mem_src(&cinfo, reinterpret_cast<const unsigned char*>(image.bytes.data()),
                 image.bytes.size());
    jpeg_read_header(&cinfo, TRUE);
  }
  ~Decompressor() { jpeg_destroy_decompress(&cinfo); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Reads the region, or what of its rows libjpeg-turbo can read at all.
  void read(const Rect& region, std::vector<std::uint8_t>& pixels) {
    JDIMENSION x = static_cast<JDIMENSION>(region.x);
    JDIMENSION width = static_cast<JDIMENSION>(region.width);
    if (width < cinfo.output_width) jpeg_crop_scanline(&cinfo, &x, &width);
    if (region.y > 0) jpeg_skip_scanlines(&cinfo, static_cast<JDIMENSION>(region.y));
    const std::size_t row_bytes = std::size_t{width} * 3;
    pixels.resize(std::max(pixels.size(), row_bytes * static_cast<std::size_t>(region.height)));
    for (int y = 0; y < region.height; ++y) {
      JSAMPROW row = pixels.data() + row_bytes * static_cast<std::size_t>(y);
      jpeg_read_scanlines(&cinfo, &row, 1);
    }
  }

  jpeg_decompress_struct cinfo;

 private:
  jpeg_error_mgr errors_;
};

}  // namespace

bool libjpeg_whole(const BenchImage& image, BenchScratch& scratch) {
  Decompressor jpeg(image);
  jpeg.cinfo.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg.cinfo);
  const int width = static_cast<int>(jpeg.cinfo.output_width);
  jpeg.read({0, 0, width, static_cast<int>(jpeg.cinfo.output_height)}, scratch.pixels);
  return true;
}

bool libjpeg_crop(const BenchImage& image, BenchScratch& scratch) {
  Decompressor jpeg(image);
  jpeg.cinfo.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg.cinfo);
  jpeg.read(image.crop, scratch.pixels);
  return true;
}

bool libjpeg_coefficients(const BenchImage& image, BenchScratch&) {
  Decompressor jpeg(image);
  return jpeg_read_coefficients(&jpeg.cinfo) != nullptr;
}

}  // namespace penstock::decode
