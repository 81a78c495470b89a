// Pixels to PNG, by libspng.
#include "penstock/decode/png/encode.h"

#include <spng.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace penstock::decode {
namespace {

struct FreeContext {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};

Status png_failure(int error) { return internal_error("libspng says: ", spng_strerror(error)); }

// SPNG_EOI, which stands for success, after the last row.
int encode_rows(spng_ctx* context, const ImageView& image) {
  const auto row_bytes =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
  const int flags = SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE;
  int error = spng_encode_image(context, nullptr, 0, SPNG_FMT_PNG, flags);
  for (int y = 0; y < image.height && error == 0; ++y) {
    error = spng_encode_row(context, image.row(y), row_bytes);
  }
  return error;
}

}  // namespace

Result<std::vector<std::byte>> encode_png(const ImageView& image) {
  if (image.width < 1 || image.height < 1) {
    return invalid_argument("image is ", image.width, "x", image.height, ", expected at least 1x1");
  }
  if (image.channels != 1 && image.channels != 3) {
    return invalid_argument("image has ", image.channels, " channels, expected 1 or 3");
  }
  const std::unique_ptr<spng_ctx, FreeContext> context(spng_ctx_new(SPNG_CTX_ENCODER));
  if (context == nullptr) return resource_exhausted("no memory for the encoder");
  spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);

  spng_ihdr header{};
  header.width = static_cast<std::uint32_t>(image.width);
  header.height = static_cast<std::uint32_t>(image.height);
  header.bit_depth = 8;
  header.color_type = image.channels == 3 ? SPNG_COLOR_TYPE_TRUECOLOR : SPNG_COLOR_TYPE_GRAYSCALE;
  if (const int error = spng_set_ihdr(context.get(), &header)) return png_failure(error);
  if (const int error = encode_rows(context.get(), image); error != SPNG_EOI) {
    return png_failure(error);
  }

  std::size_t size_bytes = 0;
  int error = 0;
  const std::unique_ptr<void, decltype(&std::free)> encoded(
      spng_get_png_buffer(context.get(), &size_bytes, &error), std::free);
  if (encoded == nullptr) return png_failure(error);
  const auto* begin = static_cast<const std::byte*>(encoded.get());
  return std::vector<std::byte>(begin, begin + size_bytes);
}

}  // namespace penstock::decode
