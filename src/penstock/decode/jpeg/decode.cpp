// Chooses between the decoders, and puts the parts of our own together.
#include "penstock/decode/jpeg/decode.h"

#include <algorithm>
#include <array>
#include <optional>

#include "penstock/decode/jpeg/entry_points.h"
#include "penstock/decode/jpeg/frame.h"
#include "penstock/decode/jpeg/markers.h"
#include "penstock/decode/jpeg/rgb.h"
#include "penstock/decode/jpeg/scan.h"
#include "penstock/decode/jpeg/turbo_decode.h"
#include "penstock/decode/scratch.h"

namespace penstock::decode {
namespace {

// How many samples a side of a block becomes, of a component that has one block to `factor` blocks
// of luma: as many as luma in the same place, if a block has them, and otherwise a half or quarter.
int block_side(int factor, int eighths) {
  while (factor > 1 && factor * eighths > kBlockSide) factor /= 2;
  return factor * eighths;
}

BlockSamples block_samples(const Frame& frame, std::size_t component, int eighths) {
  if (component == 0) return {eighths, eighths};
  const FrameComponent& luma = frame.components[0];
  return {block_side(luma.columns, eighths), block_side(luma.rows, eighths)};
}

// Of lengths or places in the image those in what is made of it.
int scaled_down(int full, int eighths) { return full * eighths / 8; }
int scaled_up(int full, int eighths) { return (full * eighths + 7) / 8; }

// The MCUs of the region, and of the chroma samples around it that its own are interpolated from.
McuWindow window_of(const Frame& frame, const Rect& region, int eighths) {
  // At least one sample of chroma.
  const auto margin = [&](int factor) {
    return factor > 1 ? (factor * kBlockSide + eighths - 1) / eighths : 0;
  };
  const int margin_x = margin(frame.components[0].columns);
  const int margin_y = margin(frame.components[0].rows);
  const int width = frame.mcu_width(), height = frame.mcu_height();
  const int right = std::min(region.x + region.width + margin_x, frame.size.width);
  const int bottom = std::min(region.y + region.height + margin_y, frame.size.height);
  return {.left = std::max(region.x - margin_x, 0) / width,
          .right = (right + width - 1) / width,
          .top = std::max(region.y - margin_y, 0) / height,
          .bottom = (bottom + height - 1) / height};
}

// One image by our own decoder.
class OwnDecoder {
 public:
  OwnDecoder(const EncodedImage& image, const Frame& frame, const ImageRequest& request,
             int channels, DecodeScratch& scratch)
      : image_(image),
        frame_(frame),
        request_(request),
        channels_(channels),
        scratch_(scratch),
        eighths_(request.min_eighths),
        window_(window_of(frame, request.region, eighths_)) {}

  // None if libjpeg-turbo has to see it.
  std::optional<ImagePart> run() {
    EntryPoints points(frame_, image_.bytes, image_.entry_points);
    const std::size_t num_known = points.size();
    prepare_planes();
    ScanRequest scan{.window = window_,
                     .reads_to_end = !has_end_marker(image_.bytes.subspan(frame_.scan_begin))};
    for (std::size_t c = 0; c < num_planes_; ++c) {
      scan.planes[c] = {planes_[c].data, planes_[c].stride, block_samples(frame_, c, eighths_)};
    }
    if (!decode_scan(frame_, image_.bytes, scan, points, scratch_.learns_entry_points,
                     scratch_.state().jpeg)) {
      return std::nullopt;
    }
    if (points.size() > num_known) scratch_.learnt = points.encode(frame_, image_.bytes);
    return num_planes_ == 1 ? gray_part() : rgb_part();
  }

 private:
  void prepare_planes() {
    num_planes_ = channels_ == 1 ? 1 : static_cast<std::size_t>(frame_.num_components);
    const int columns = window_.right - window_.left, rows = window_.bottom - window_.top;
    for (std::size_t c = 0; c < num_planes_; ++c) {
      const FrameComponent& component = frame_.components[c];
      const BlockSamples block = block_samples(frame_, c, eighths_);
      const ImageSize size{columns * component.columns * block.columns,
                           rows * component.rows * block.rows};
      MutableImage& plane = planes_[c];
      plane = scratch_.state().planes[c].prepare({size.width + kPlaneSlack, size.height}, 1);
      plane.width = size.width;
    }
  }

  // Of the planes, in samples of luma.
  int origin_x() const { return window_.left * frame_.components[0].columns * eighths_; }
  int origin_y() const { return window_.top * frame_.components[0].rows * eighths_; }

  ImagePart gray_part() const {
    // The last MCU may reach beyond the image.
    ImageView pixels = planes_[0].view();
    const ImageSize size = scaled_size();
    pixels.width = std::min(pixels.width, size.width - origin_x());
    pixels.height = std::min(pixels.height, size.height - origin_y());
    return make_part(pixels, frame_.size, origin_x(), origin_y(), eighths_);
  }

  ImageSize scaled_size() const {
    return {scaled_up(frame_.size.width, eighths_), scaled_up(frame_.size.height, eighths_)};
  }

  ImagePart rgb_part() const {
    YccImage ycc{.columns = planes_[0].width / planes_[1].width,
                 .rows = planes_[0].height / planes_[1].height};
    const ImageSize size = scaled_size();
    for (std::size_t c = 0; c < num_planes_; ++c) {
      const int columns = c == 0 ? 1 : ycc.columns, rows = c == 0 ? 1 : ycc.rows;
      ycc.planes[c] = {
          .data = planes_[c].data,
          .stride = planes_[c].stride,
          .left = origin_x() / columns,
          .top = origin_y() / rows,
          .full_size = {(size.width + columns - 1) / columns, (size.height + rows - 1) / rows}};
    }
    const Rect& region = request_.region;
    const int left = scaled_down(region.x, eighths_), top = scaled_down(region.y, eighths_);
    const int right = scaled_up(region.x + region.width, eighths_);
    const int bottom = scaled_up(region.y + region.height, eighths_);
    const MutableImage out = scratch_.state().pixels.prepare({right - left, bottom - top}, 3);
    convert_to_rgb(ycc, {left, top, out.width, out.height}, scratch_.state().line, out);
    return make_part(out.view(), frame_.size, left, top, eighths_);
  }

  const EncodedImage& image_;
  const Frame& frame_;
  const ImageRequest& request_;
  const int channels_;
  DecodeScratch& scratch_;
  const int eighths_;
  const McuWindow window_;
  std::size_t num_planes_ = 0;
  std::array<MutableImage, 3> planes_;
};

}  // namespace

// As if the planes were not subsampled, and put together besides.
std::size_t jpeg_memory_bytes(const ImageHeader& header, const ImageRequest& request,
                              int channels) {
  constexpr std::size_t kTablesBytes = 256 << 10;
  constexpr std::size_t kMargin = 4 * kBlockSide * 2;
  const auto side = [&](int full) {
    return static_cast<std::size_t>(scaled_up(full, request.min_eighths)) + kMargin;
  };
  const std::size_t planes =
      side(request.region.width) * side(request.region.height) * static_cast<std::size_t>(channels);
  return planes + turbo_memory_bytes(header, request, channels) + kTablesBytes;
}

Result<ImagePart> decode_jpeg(const EncodedImage& image, const ImageRequest& request,
                              const DecodeOptions& options, DecodeScratch& scratch) {
  const std::optional<Frame> frame = read_frame(image.bytes);
  // Gray as RGB is for libjpeg-turbo.
  if (frame && options.channels <= frame->num_components) {
    PENSTOCK_TRY(check_image_size(frame->size, frame->num_components));
    PENSTOCK_TRY(check_request(request, frame->size, options.channels));
    const auto part = OwnDecoder(image, *frame, request, options.channels, scratch).run();
    if (part) return *part;
  }
  return decode_jpeg_by_turbo(image, request, options, scratch);
}

}  // namespace penstock::decode
