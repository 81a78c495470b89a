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

// Whether the bytes behind the header hold an end marker: the last two, unless something was
// appended. In a scan every 0xff is followed by a stuffed 0 or another marker.
bool has_end_marker(Bytes scan) {
  constexpr std::array kEnd = {std::byte{0xff}, static_cast<std::byte>(kEoi)};
  return std::find_end(scan.begin(), scan.end(), kEnd.begin(), kEnd.end()) != scan.end();
}

// The MCUs of the region, and of the chroma samples around it that its own are interpolated from.
McuWindow window_of(const Frame& frame, const Rect& region) {
  const int margin_x = frame.components[0].columns > 1 ? frame.components[0].columns : 0;
  const int margin_y = frame.components[0].rows > 1 ? frame.components[0].rows : 0;
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
        window_(window_of(frame, request.region)) {}

  // None if libjpeg-turbo has to see it.
  std::optional<ImagePart> run() {
    EntryPoints points(frame_, image_.bytes, image_.entry_points);
    const std::size_t num_known = points.size();
    prepare_planes();
    ScanRequest scan{.window = window_,
                     .reads_to_end = !has_end_marker(image_.bytes.subspan(frame_.scan_begin))};
    for (std::size_t c = 0; c < num_planes_; ++c)
      scan.planes[c] = {planes_[c].data, planes_[c].stride};
    if (!decode_scan(frame_, image_.bytes, scan, points, scratch_.learns_entry_points,
                     scratch_.state().jpeg)) {
      return std::nullopt;
    }
    if (points.size() > num_known) scratch_.learnt = points.encode(frame_, image_.bytes);
    return num_planes_ == 1 || request_.accepts_ycc ? planes_part() : rgb_part();
  }

 private:
  void prepare_planes() {
    num_planes_ = channels_ == 1 ? 1 : static_cast<std::size_t>(frame_.num_components);
    const int columns = window_.right - window_.left, rows = window_.bottom - window_.top;
    for (std::size_t c = 0; c < num_planes_; ++c) {
      const FrameComponent& component = frame_.components[c];
      const ImageSize size{columns * component.columns * kBlockSide,
                           rows * component.rows * kBlockSide};
      MutableImage& plane = planes_[c];
      plane = scratch_.state().planes[c].prepare({size.width + kPlaneSlack, size.height}, 1);
      plane.width = size.width;
    }
  }

  int origin_x() const { return window_.left * frame_.mcu_width(); }
  int origin_y() const { return window_.top * frame_.mcu_height(); }

  ImagePart planes_part() const {
    ImagePart part{planes_[0].view(), frame_.size, origin_x(), origin_y(), 1};
    // The last MCU may reach beyond the image.
    part.pixels.width = std::min(part.pixels.width, frame_.size.width - part.origin_x);
    part.pixels.height = std::min(part.pixels.height, frame_.size.height - part.origin_y);
    if (num_planes_ == 1) return part;
    part.chroma_columns = frame_.components[0].columns;
    part.chroma_rows = frame_.components[0].rows;
    for (std::size_t c = 0; c < 2; ++c) part.chroma[c] = planes_[c + 1].view();
    return part;
  }

  ImagePart rgb_part() const {
    YccImage ycc{.columns = frame_.components[0].columns, .rows = frame_.components[0].rows};
    for (std::size_t c = 0; c < num_planes_; ++c) {
      const int columns = c == 0 ? 1 : ycc.columns, rows = c == 0 ? 1 : ycc.rows;
      ycc.planes[c] = {.data = planes_[c].data,
                       .stride = planes_[c].stride,
                       .left = origin_x() / columns,
                       .top = origin_y() / rows,
                       .full_size = {(frame_.size.width + columns - 1) / columns,
                                     (frame_.size.height + rows - 1) / rows}};
    }
    const Rect& region = request_.region;
    const MutableImage out = scratch_.state().pixels.prepare({region.width, region.height}, 3);
    convert_to_rgb(ycc, region, scratch_.state().line, out);
    return {out.view(), frame_.size, region.x, region.y, 1};
  }

  const EncodedImage& image_;
  const Frame& frame_;
  const ImageRequest& request_;
  const int channels_;
  DecodeScratch& scratch_;
  const McuWindow window_;
  std::size_t num_planes_ = 0;
  std::array<MutableImage, 3> planes_;
};

// Gray as RGB, and coarser images, are for libjpeg-turbo.
bool is_ours(const Frame& frame, const ImageRequest& request, int channels) {
  return request.max_shrink == 1 && channels <= frame.num_components;
}

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
  if (frame && is_ours(*frame, request, options.channels)) {
    PENSTOCK_TRY(check_image_size(frame->size, frame->num_components));
    PENSTOCK_TRY(check_request(request, frame->size, options.channels));
    const auto part = OwnDecoder(image, *frame, request, options.channels, scratch).run();
    if (part) return *part;
  }
  return decode_jpeg_by_turbo(image, request, options, scratch);
}

}  // namespace penstock::decode
