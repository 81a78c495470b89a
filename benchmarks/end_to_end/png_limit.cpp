// The PNG limit: libpng decodes whole files, held in memory, in N threads and does nothing else. No
// loader that decodes with libpng can be faster.
#include <png.h>

#include "decode_limit.h"

namespace {

struct PngDecoder {
  // To RGB at full size.
  bool decode(const Bytes& file, Bytes& pixels) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0) return false;
    image.format = PNG_FORMAT_RGB;
    pixels.resize(PNG_IMAGE_SIZE(image));
    return png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) != 0;
  }
};

}  // namespace

int main(int argc, char** argv) { return run_limit<PngDecoder>(argc, argv); }
