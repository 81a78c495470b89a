// Decodes the rows of a PNG that a crop needs, by libspng.
#include "penstock/decode/png/decode.h"

#include <spng.h>

#include <algorithm>
#include <memory>

#include "penstock/decode/pixel_convert.h"
#include "penstock/decode/request.h"
#include "penstock/decode/scratch.h"

namespace penstock::decode {
namespace {

// Of chunks that are not pixels: text, profiles. More is no training image.
constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 26;

struct FreeContext {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};
using Context = std::unique_ptr<spng_ctx, FreeContext>;

Status png_failure(int error, std::size_t size_bytes, std::uint32_t row, std::uint32_t height) {
  switch (error) {
    case SPNG_IO_EOF:
      return corrupt("truncated after ", size_bytes, " bytes, at row ", row, " of ", height);
    case SPNG_EMEM:
      return resource_exhausted("no memory for the decoder");
    case SPNG_EUSER_WIDTH:
    case SPNG_EUSER_HEIGHT:
    case SPNG_ECHUNK_LIMITS:
    case SPNG_ECHUNK_UNKNOWN_CRITICAL:
      return unsupported(spng_strerror(error));
    default:
      return corrupt(spng_strerror(error), ", at row ", row, " of ", height);
  }
}

// The rows to keep, and where they go.
struct Rows {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t last = 0;  // decoding may stop before this row
  MutableImage kept;       // rows [begin, end)
  MutableImage dropped;    // one row
};

// Decodes rows until all of those to keep are there. Answers libspng's error, SPNG_EOI at the end
// of the image, 0 before it. `row` is the one that was being decoded.
int decode_rows(spng_ctx* context, const Rows& rows, bool is_interlaced, std::uint32_t& row) {
  const std::size_t row_bytes =
      static_cast<std::size_t>(rows.kept.width) * static_cast<std::size_t>(rows.kept.channels);
  for (;;) {
    spng_row_info info{};
    if (const int error = spng_get_row_info(context, &info)) return error;
    row = info.row_num;
    if (!is_interlaced && row >= rows.last) return 0;
    const bool is_kept = row >= rows.begin && row < rows.end;
    std::uint8_t* out =
        is_kept ? rows.kept.row(static_cast<int>(row - rows.begin)) : rows.dropped.data;
    if (const int error = spng_decode_row(context, out, row_bytes)) return error;
  }
}

struct Format {
  int spng = SPNG_FMT_RGB8;
  int channels = 3;
};

// libspng makes gray of gray only.
Format decode_format(const spng_ihdr& header, int channels) {
  const bool is_gray = header.color_type == SPNG_COLOR_TYPE_GRAYSCALE && header.bit_depth <= 8;
  return channels == 1 && is_gray ? Format{SPNG_FMT_G8, 1} : Format{};
}

// Whether the file ends as a PNG does: with an empty IEND chunk, unless something was appended.
bool has_end_chunk(Bytes bytes) {
  constexpr std::string_view kEnd("\0\0\0\0IEND\xae\x42\x60\x82", 12);
  const Bytes end = std::as_bytes(std::span(kEnd));
  return std::find_end(bytes.begin(), bytes.end(), end.begin(), end.end()) != bytes.end();
}

// A file whose header has been read.
struct OpenedPng {
  spng_ctx* context = nullptr;
  spng_ihdr header{};
  Bytes bytes;

  Status failure(int error, std::uint32_t row) const {
    return png_failure(error, bytes.size(), row, header.height);
  }
};

// Decodes the rows of `region` into scratch.pixels.
Result<MutableImage> decode_region_rows(const OpenedPng& png, const Rect& region,
                                        const Format& format, DecodeScratch& scratch) {
  int error = spng_decode_image(png.context, nullptr, 0, format.spng, SPNG_DECODE_PROGRESSIVE);
  if (error != 0) return png.failure(error, 0);

  const int width = static_cast<int>(png.header.width);
  Rows rows;
  rows.begin = static_cast<std::uint32_t>(region.y);
  rows.end = static_cast<std::uint32_t>(region.y + region.height);
  rows.kept = scratch.state().pixels.prepare({width, region.height}, format.channels);
  rows.dropped = scratch.state().line.prepare({width, 1}, format.channels);
  // A file that was cut below the region would otherwise be good for some crops and bad for others.
  rows.last = has_end_chunk(png.bytes) ? rows.end : png.header.height;
  std::uint32_t row = 0;
  error = decode_rows(png.context, rows, png.header.interlace_method != 0, row);
  // At the end of the image the checksum of the last rows is still to be compared.
  if (error == SPNG_EOI) error = spng_decode_chunks(png.context);
  if (error != 0) return png.failure(error, row);
  return rows.kept;
}

}  // namespace

std::size_t png_memory_bytes(const ImageHeader& header, const ImageRequest& request, int) {
  return static_cast<std::size_t>(header.size.width) *
         static_cast<std::size_t>(request.region.height) * 3;
}

Result<ImagePart> decode_png(const EncodedImage& image, const ImageRequest& request,
                             const DecodeOptions& options, DecodeScratch& scratch) {
  const Bytes bytes = image.bytes;
  const int channels = options.channels;
  const Context context(spng_ctx_new(0));
  if (context == nullptr) return resource_exhausted("no memory for the decoder");
  spng_set_png_buffer(context.get(), bytes.data(), bytes.size());
  spng_set_chunk_limits(context.get(), kMaxChunkBytes, kMaxChunkBytes);

  OpenedPng png{context.get(), {}, bytes};
  if (const int error = spng_get_ihdr(png.context, &png.header)) return png.failure(error, 0);
  const ImageSize size{static_cast<int>(png.header.width), static_cast<int>(png.header.height)};
  PENSTOCK_TRY(check_image_size(size, 3));
  PENSTOCK_TRY(check_request(request, size, channels));

  const Format format = decode_format(png.header, channels);
  PENSTOCK_TRY_ASSIGN(const MutableImage rows,
                      decode_region_rows(png, request.region, format, scratch));
  ImageView pixels = rows.view();
  if (format.channels != channels) {
    for (int y = 0; y < rows.height; ++y) {
      convert_rgb_to_gray(rows.row(y), size.width, rows.row(y));
    }
    pixels.channels = channels;
  }
  return ImagePart{pixels, size, 0, request.region.y, 1};
}

}  // namespace penstock::decode
