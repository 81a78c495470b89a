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

// How many samples a block of a component becomes: subsampled ones are shrunk less, if at all.
BlockSamples block_samples(const Frame& frame, std::size_t component, int shrink) {
  const FrameComponent& luma = frame.components[0];
  const int columns = component == 0 ? 1 : luma.columns, rows = component == 0 ? 1 : luma.rows;
  return {std::min(kBlockSide / shrink * columns, kBlockSide),
          std::min(kBlockSide / shrink * rows, kBlockSide)};
}

// The MCUs of the region, and of the chroma samples around it that its own are interpolated from.
McuWindow window_of(const Frame& frame, const Rect& region, int shrink) {
  const int margin_x = frame.components[0].columns > 1 ? frame.components[0].columns * shrink : 0;
  const int margin_y = frame.components[0].rows > 1 ? frame.components[0].rows * shrink : 0;
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
        shrink_(jpeg_shrink(request.max_shrink)),
        window_(window_of(frame, request.region, shrink_)) {}

  // None if libjpeg-turbo has to see it.
  std::optional<ImagePart> run() {
    EntryPoints points(frame_, image_.bytes, image_.entry_points);
    const std::size_t num_known = points.size();
    prepare_planes();
    ScanRequest scan{.window = window_,
                     .reads_to_end = !has_end_marker(image_.bytes.subspan(frame_.scan_begin))};
    for (std::size_t c = 0; c < num_planes_; ++c) {
      scan.planes[c] = {planes_[c].data, planes_[c].stride, block_samples(frame_, c, shrink_)};
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
      const BlockSamples block = block_samples(frame_, c, shrink_);
      const ImageSize size{columns * component.columns * block.columns,
                           rows * component.rows * block.rows};
      MutableImage& plane = planes_[c];
      plane = scratch_.state().planes[c].prepare({size.width + kPlaneSlack, size.height}, 1);
      plane.width = size.width;
    }
  }

  int origin_x() const { return window_.left * frame_.mcu_width(); }
  int origin_y() const { return window_.top * frame_.mcu_height(); }

  ImagePart gray_part() const {
    ImagePart part{planes_[0].view(), frame_.size, origin_x(), origin_y(), shrink_};
    // The last MCU may reach beyond the image.
    const ImageSize size = shrunken_size();
    part.pixels.width = std::min(part.pixels.width, size.width - part.origin_x / shrink_);
    part.pixels.height = std::min(part.pixels.height, size.height - part.origin_y / shrink_);
    return part;
  }

  ImageSize shrunken_size() const {
    return {(frame_.size.width + shrink_ - 1) / shrink_,
            (frame_.size.height + shrink_ - 1) / shrink_};
  }

  ImagePart rgb_part() const {
    YccImage ycc{.columns = planes_[0].width / planes_[1].width,
                 .rows = planes_[0].height / planes_[1].height};
    const ImageSize size = shrunken_size();
    for (std::size_t c = 0; c < num_planes_; ++c) {
      const int columns = c == 0 ? 1 : ycc.columns, rows = c == 0 ? 1 : ycc.rows;
      ycc.planes[c] = {
          .data = planes_[c].data,
          .stride = planes_[c].stride,
          .left = origin_x() / shrink_ / columns,
          .top = origin_y() / shrink_ / rows,
          .full_size = {(size.width + columns - 1) / columns, (size.height + rows - 1) / rows}};
    }
    const Rect& region = request_.region;
    const int left = region.x / shrink_, top = region.y / shrink_;
    const int right = (region.x + region.width + shrink_ - 1) / shrink_;
    const int bottom = (region.y + region.height + shrink_ - 1) / shrink_;
    const MutableImage out = scratch_.state().pixels.prepare({right - left, bottom - top}, 3);
    convert_to_rgb(ycc, {left, top, out.width, out.height}, scratch_.state().line, out);
    return {out.view(), frame_.size, left * shrink_, top * shrink_, shrink_};
  }

  const EncodedImage& image_;
  const Frame& frame_;
  const ImageRequest& request_;
  const int channels_;
  DecodeScratch& scratch_;
  const int shrink_;
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
  const std::size_t planes = (static_cast<std::size_t>(request.region.width) + kMargin) *
                             (static_cast<std::size_t>(request.region.height) + kMargin) *
                             static_cast<std::size_t>(channels);
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
