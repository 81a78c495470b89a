// Decodes the pixels of a PNG that a crop needs: chunks, inflate, unfilter, expand.
#include "penstock/decode/png/decode.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "penstock/decode/png/adam7.h"
#include "penstock/decode/png/chunks.h"
#include "penstock/decode/png/expand.h"
#include "penstock/decode/png/inflate.h"
#include "penstock/decode/png/state.h"
#include "penstock/decode/png/unfilter.h"
#include "penstock/decode/request.h"
#include "penstock/decode/scratch.h"

namespace penstock::decode {
namespace {

PngState& png_state(DecodeScratch& scratch) {
  std::unique_ptr<PngState>& state = scratch.state().png;
  if (state == nullptr) state = std::make_unique<PngState>();
  return *state;
}

// kUnsupported if the pixels or the rows that they are made of are too many.
Status check_rows_size(const PngFormat& format, std::size_t rows_bytes) {
  PENSTOCK_TRY(check_image_size(format.size, 3));
  if (rows_bytes <= static_cast<std::size_t>(kMaxImageBytes)) return {};
  return unsupported("image has ", rows_bytes, " bytes of rows, expected at most ", kMaxImageBytes);
}

// The inflated rows, all passes.
Result<std::uint8_t*> inflate_rows(Bytes bytes, const PngChunks& chunks, std::size_t rows_bytes,
                                   bool checks_sums, PngState& state) {
  PENSTOCK_TRY(check_inflated_size(chunks.data_bytes, rows_bytes));
  std::byte* joined = nullptr;
  if (chunks.num_data_chunks > 1) {
    joined = reinterpret_cast<std::byte*>(state.joined.prepare(chunks.data_bytes));
  }
  const std::size_t room_bytes = rows_bytes + kInflateSlackBytes;
  std::uint8_t* rows = state.rows.prepare(room_bytes);
  const MutableBytes room = std::as_writable_bytes(std::span(rows, room_bytes));
  PENSTOCK_TRY(
      state.inflater.inflate(png_data(bytes, chunks, joined), room, rows_bytes, checks_sums));
  return rows;
}

// The rows of one pass, from filtered bytes to pixels.
class PassDecoder {
 public:
  // `rows` are those of the pass; `zeros` stand above the first one.
  PassDecoder(const PngPass& pass, const PngFormat& format, std::uint8_t* rows,
              const std::uint8_t* zeros)
      : pass_(pass),
        format_(format),
        rows_(rows),
        zeros_(zeros),
        unfilters_(choose_unfilters(format.pixel_bytes())) {}

  // Calls take(y, row) for each row of `part`, which is one of the pass, with its bytes up to the
  // part's last column unfiltered.
  template <class Take>
  Status run(const Rect& part, Take take) {
    const std::size_t size = format_.row_bytes(part.x + part.width);
    for (int y = first_row(part.y); y < part.y + part.height; ++y) {
      std::uint8_t* row = row_at(y);
      const std::uint8_t filter = row[-1];
      if (filter >= kNumPngFilters) {
        return corrupt("row ", y * pass_.y_step + pass_.y, " of ", format_.size.height,
                       " has filter ", filter, ", expected 0 to 4");
      }
      unfilters_[filter](row, y == 0 ? zeros_ : row_at(y - 1), size);
      if (y >= part.y) take(y, row);
    }
    return {};
  }

 private:
  // Behind its filter.
  std::uint8_t* row_at(int y) const {
    return rows_ + static_cast<std::size_t>(y) * (pass_.row_bytes + 1) + 1;
  }

  // The last row up to `y` that can be unfiltered without the one above.
  int first_row(int y) const {
    while (y > 0 && needs_row_above(static_cast<PngFilter>(row_at(y)[-1]))) --y;
    return y;
  }

  const PngPass& pass_;
  const PngFormat& format_;
  std::uint8_t* rows_;
  const std::uint8_t* zeros_;
  Unfilters unfilters_;
};

// Puts pixels `step` apart.
void spread_pixels(const std::uint8_t* pixels, int width, std::size_t pixel_bytes, int step,
                   std::uint8_t* out) {
  const std::size_t step_bytes = pixel_bytes * static_cast<std::size_t>(step);
  for (int x = 0; x < width; ++x, pixels += pixel_bytes, out += step_bytes) {
    std::memcpy(out, pixels, pixel_bytes);
  }
}

// Where the pixels of a pass go.
struct Target {
  const PngExpander& expander;
  const Rect& region;
  MutableImage image;  // the region
  int channels = 3;
  std::uint8_t* line = nullptr;  // one row, for passes with gaps
};

Status decode_pass(const PngPass& pass, PassDecoder decoder, const Target& target) {
  const Rect part = pass.part_in(target.region);
  if (part.width == 0 || part.height == 0) return {};
  const auto pixel_bytes = static_cast<std::size_t>(target.channels);
  const int left = part.x * pass.x_step + pass.x - target.region.x;
  return decoder.run(part, [&](int y, const std::uint8_t* row) {
    std::uint8_t* out = target.image.row(y * pass.y_step + pass.y - target.region.y) +
                        static_cast<std::size_t>(left) * pixel_bytes;
    std::uint8_t* pixels = target.line == nullptr ? out : target.line;
    target.expander.expand(row, part.x, part.x + part.width, pixels);
    if (pixels != out) spread_pixels(pixels, part.width, pixel_bytes, pass.x_step, out);
  });
}

}  // namespace

std::size_t png_memory_bytes(const ImageHeader& header, const ImageRequest& request, int) {
  const std::size_t num_pixels = static_cast<std::size_t>(request.region.width) *
                                 static_cast<std::size_t>(request.region.height);
  // Images with more pixels than this are refused later.
  return header.whole_bytes + 3 * std::min(num_pixels, static_cast<std::size_t>(kMaxImageBytes));
}

Result<ImagePart> decode_png(const EncodedImage& image, const ImageRequest& request,
                             const DecodeOptions& options, DecodeScratch& scratch) {
  PENSTOCK_TRY_ASSIGN(const PngFormat format, read_png_format(image.bytes));
  const PngPasses passes(format);
  PENSTOCK_TRY(check_rows_size(format, passes.size_bytes()));
  PENSTOCK_TRY(check_request(request, format.size, options.channels));
  PENSTOCK_TRY_ASSIGN(const PngChunks chunks, read_png_chunks(image.bytes, options.checks_sums));
  PngState& state = png_state(scratch);
  PENSTOCK_TRY_ASSIGN(std::uint8_t* rows, inflate_rows(image.bytes, chunks, passes.size_bytes(),
                                                       options.checks_sums, state));

  const Rect& region = request.region;
  const ImageSize size{region.width, region.height};
  const PngExpander expander(format, chunks.palette, options.channels);
  Target target{expander, region, scratch.state().pixels.prepare(size, expander.room_channels()),
                options.channels};
  if (format.is_interlaced) target.line = scratch.state().line.prepare({size.width, 1}, 3).data;
  const std::size_t zeros_bytes = format.row_bytes(format.size.width) + kUnfilterSlackBytes;
  std::uint8_t* zeros = state.zeros.prepare(zeros_bytes);
  std::memset(zeros, 0, zeros_bytes);
  for (const PngPass& pass : passes.passes()) {
    PENSTOCK_TRY(decode_pass(pass, {pass, format, rows + pass.offset, zeros}, target));
  }
  ImageView pixels = target.image.view();
  pixels.channels = options.channels;
  return make_part(pixels, format.size, region.x, region.y);
}

}  // namespace penstock::decode
