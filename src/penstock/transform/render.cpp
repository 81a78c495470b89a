// From parts, geometries and colours to the plain numbers of the kernels, by the cheapest way:
// copied bytes, moved pixels, or resampled ones.
#include "penstock/transform/render.h"

#include <cassert>
#include <cmath>
#include <cstring>

#include "penstock/transform/kernel.h"
#include "penstock/transform/scratch_buffer.h"
#include "penstock/transform/taps.h"

namespace penstock::transform {
namespace {

// The taps of one axis, kept as long as images of the same geometry follow each other.
class CachedTaps {
 public:
  const AxisTaps& of(const Axis& axis, Filter filter, const PartAxis& part) {
    if (!is_made_ || axis != axis_ || filter != filter_ || part != part_) {
      make_taps(axis, filter, part, taps_);
      axis_ = axis;
      filter_ = filter;
      part_ = part;
      is_made_ = true;
    }
    return taps_;
  }

  std::size_t size_bytes() const {
    return taps_.first.capacity() * sizeof(taps_.first[0]) +
           taps_.weights.capacity() * sizeof(taps_.weights[0]);
  }

 private:
  bool is_made_ = false;
  Axis axis_;
  Filter filter_ = Filter::kBilinear;
  PartAxis part_;
  AxisTaps taps_;
};

// An axis along which every output is one whole source pixel, or filled.
struct MovedAxis {
  int source = 0;  // the pixel of the part that output 0 (if mirrored, the last output) comes from
  int low = 0;     // outputs in [low, high), counted along the source, have pixels of it
  int high = 0;
};

bool is_moved(const Axis& axis, int eighths) {
  return eighths == 8 && std::abs(axis.scale) == 1 && axis.offset == std::floor(axis.offset);
}

MovedAxis moved_axis(const Axis& axis, const PartAxis& part) {
  const bool is_mirrored = axis.scale < 0;
  const double begin = (is_mirrored ? axis.offset - axis.size : axis.offset) - part.origin;
  const int content_low = is_mirrored ? axis.size - axis.content_high : axis.content_low;
  const int content_high = is_mirrored ? axis.size - axis.content_low : axis.content_high;
  const double image_low = std::max(axis.image.low - part.origin, 0.0);
  const double image_high = std::min<double>(axis.image.high - part.origin, part.num_pixels);
  MovedAxis moved{.source = static_cast<int>(begin)};
  moved.low = std::max(content_low, static_cast<int>(std::ceil(image_low - begin)));
  moved.high = std::min(content_high, static_cast<int>(std::floor(image_high - begin)));
  if (moved.high <= moved.low) moved.low = moved.high = 0;
  return moved;
}

Finish make_finish(const Colour& colour, const PixelFormat& format, double unit, bool clamps) {
  Finish finish{.dtype = format.dtype,
                .is_planar = format.layout == Layout::kCHW || format.channels == 1,
                .is_adjusted = colour.is_adjusted || clamps,
                .channels = format.channels};
  const bool is_gray = format.channels == 1;
  const double value_unit = finish.is_adjusted ? 1 : unit;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto& row = colour.matrix[c];
    // Gray stands for three equal channels.
    const double first = is_gray ? row[0] + row[1] + row[2] : row[0];
    finish.matrix[c][0] = static_cast<float>(first / unit);
    finish.matrix[c][1] = static_cast<float>(row[1] / unit);
    finish.matrix[c][2] = static_cast<float>(row[2] / unit);
    finish.matrix[c][3] = static_cast<float>(row[3]);
    double scale = format.dtype == DType::kU8 ? 1 : 1 / 255.0, offset = 0;
    if (colour.is_normalized) {
      scale = 1 / (255 * colour.deviation[c]);
      offset = -colour.mean[c] / colour.deviation[c];
    }
    finish.scale[c] = static_cast<float>(scale / value_unit);
    finish.offset[c] = static_cast<float>(offset);
  }
  return finish;
}

// Whether pixels leave as they came.
bool is_plain(const Colour& colour, const PixelFormat& format) {
  return format.dtype == DType::kU8 && !colour.is_adjusted && !colour.is_normalized;
}

// What render() was asked for.
struct Job {
  const ImagePart& part;
  const Geometry& geometry;
  const Colour& colour;
  const PixelFormat& format;
  std::byte* out;
};

// An image below this many pixels is handled as one long row, if it can.
constexpr int kMaxFlatPixels = 4096;

}  // namespace

struct RenderScratch::State {
  CachedTaps x;
  CachedTaps y;
  ScratchBuffer<std::uint8_t> fill_row;
  ScratchBuffer<std::uint8_t> bordered_rows;
  ScratchBuffer<const std::uint8_t*> rows;
  KernelScratch kernel;
};

RenderScratch::RenderScratch() : state_(std::make_unique<State>()) {}
RenderScratch::~RenderScratch() = default;
RenderScratch::RenderScratch(RenderScratch&&) noexcept = default;
RenderScratch& RenderScratch::operator=(RenderScratch&&) noexcept = default;

std::size_t RenderScratch::size_bytes() const {
  return state_->x.size_bytes() + state_->y.size_bytes() + state_->fill_row.size_bytes() +
         state_->bordered_rows.size_bytes() + state_->rows.size_bytes() +
         state_->kernel.size_bytes();
}

namespace {

// The rows of a moved image, from left to right in the source; those that are partly filled are put
// together in scratch memory.
class MovedRows {
 public:
  MovedRows(const ImagePart& part, const Geometry& geometry, RenderScratch::State& scratch)
      : view_(part.pixels),
        x_(moved_axis(geometry.x, {part.origin_x, part.pixels.width})),
        y_(moved_axis(geometry.y, {part.origin_y, part.pixels.height})),
        width_(static_cast<std::size_t>(geometry.x.size)),
        height_(geometry.y.size),
        is_upside_down_(geometry.y.scale < 0),
        fill_(geometry.fill) {
    rows_ = scratch.rows.reserve(static_cast<std::size_t>(height_));
    if (is_filled()) {
      fill_row_ = scratch.fill_row.reserve(row_bytes());
      write_fill(fill_row_, 0, width_);
    }
    const bool is_bordered = x_.low > 0 || x_.high < geometry.x.size;
    const auto num_bordered = static_cast<std::size_t>(y_.high - y_.low);
    if (is_bordered) bordered_ = scratch.bordered_rows.reserve(row_bytes() * num_bordered);
    for (int i = 0; i < height_; ++i) rows_[is_upside_down_ ? height_ - 1 - i : i] = make_row(i);
  }

  const std::uint8_t* const* rows() const { return rows_; }
  std::size_t row_bytes() const { return width_ * static_cast<std::size_t>(view_.channels); }

  // Whether the rows lie one behind the other, so that they read as one long row.
  bool is_contiguous() const {
    return !is_filled() && !is_upside_down_ && (height_ == 1 || view_.stride == row_bytes());
  }

 private:
  bool is_filled() const {
    return x_.low > 0 || x_.high < static_cast<int>(width_) || y_.low > 0 || y_.high < height_;
  }

  const std::uint8_t* make_row(int i) {
    if (i < y_.low || i >= y_.high) return fill_row_;
    const std::uint8_t* source = view_.row(y_.source + i);
    const auto channels = static_cast<std::size_t>(view_.channels);
    const auto low = static_cast<std::size_t>(x_.low), high = static_cast<std::size_t>(x_.high);
    if (bordered_ == nullptr) return source + static_cast<std::size_t>(x_.source) * channels;
    std::uint8_t* row = bordered_ + static_cast<std::size_t>(i - y_.low) * row_bytes();
    write_fill(row, 0, low);
    if (high > low) {
      std::memcpy(row + low * channels,
                  source + static_cast<std::size_t>(x_.source + x_.low) * channels,
                  (high - low) * channels);
    }
    write_fill(row, high, width_);
    return row;
  }

  void write_fill(std::uint8_t* row, std::size_t from, std::size_t to) const {
    const auto channels = static_cast<std::size_t>(view_.channels);
    for (std::size_t i = from * channels; i < to * channels; ++i) row[i] = fill_[i % channels];
  }

  const ImageView& view_;
  const MovedAxis x_, y_;
  const std::size_t width_;
  const int height_;
  const bool is_upside_down_;
  const FillColour fill_;
  const std::uint8_t** rows_ = nullptr;
  std::uint8_t* fill_row_ = nullptr;
  std::uint8_t* bordered_ = nullptr;
};

void render_moved(const Job& job, RenderScratch::State& scratch) {
  const MovedRows moved(job.part, job.geometry, scratch);
  const bool is_mirrored = job.geometry.x.scale < 0;
  Target target{job.out, job.geometry.x.size, job.geometry.y.size};
  if (!is_mirrored && moved.is_contiguous() &&
      static_cast<std::int64_t>(target.width) * target.height <= kMaxFlatPixels) {
    target = {job.out, target.width * target.height, 1};
  }
  const bool is_interleaved = job.format.layout == Layout::kHWC || job.format.channels == 1;
  if (is_plain(job.colour, job.format) && is_interleaved && !is_mirrored) {
    const std::size_t row_bytes =
        static_cast<std::size_t>(target.width) * static_cast<std::size_t>(job.format.channels);
    for (int y = 0; y < target.height; ++y) {
      std::memcpy(job.out + static_cast<std::size_t>(y) * row_bytes, moved.rows()[y], row_bytes);
    }
    return;
  }
  copy_image({moved.rows(), is_mirrored}, make_finish(job.colour, job.format, 1, false), target,
             scratch.kernel);
}

void render_resampled(const Job& job, RenderScratch::State& scratch) {
  const Geometry& geometry = job.geometry;
  const ImageView& view = job.part.pixels;
  const PartAxis x{job.part.origin_x, view.width, job.part.eighths};
  const PartAxis y{job.part.origin_y, view.height, job.part.eighths};
  const ResampleJob resampling{.pixels = view,
                               .x = &scratch.x.of(geometry.x, geometry.filter, x),
                               .y = &scratch.y.of(geometry.y, geometry.filter, y),
                               .fill = geometry.fill.data()};
  // Only the cubic filter overshoots.
  const bool clamps = geometry.filter == Filter::kBicubic;
  resample_image(resampling, make_finish(job.colour, job.format, kResampledUnit, clamps),
                 {job.out, geometry.x.size, geometry.y.size}, scratch.kernel);
}

}  // namespace

void render(const ImagePart& part, const Geometry& geometry, const Colour& colour,
            const PixelFormat& format, RenderScratch& scratch, MutableBytes out) {
  assert(part.pixels.channels == format.channels);
  assert(out.size() == static_cast<std::size_t>(geometry.x.size) *
                           static_cast<std::size_t>(geometry.y.size) *
                           static_cast<std::size_t>(format.channels) * size_bytes(format.dtype));
  const Job job{part, geometry, colour, format, out.data()};
  if (is_moved(geometry.x, part.eighths) && is_moved(geometry.y, part.eighths)) {
    return render_moved(job, scratch.state());
  }
  render_resampled(job, scratch.state());
}

}  // namespace penstock::transform
