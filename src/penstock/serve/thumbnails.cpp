// Shrinks images by averaging a few of the pixels that each new one stands for.
#include "penstock/serve/thumbnails.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <variant>

#include "penstock/transform/render.h"

namespace penstock::serve {
namespace {

using batch::Batch;
using pipeline::FieldPlan;
using pipeline::ImageReader;
using pipeline::NumberReader;

// Images of a batch: how their values lie, and how they become 0..255.
struct ImageField {
  int width = 0;
  int height = 0;
  // From one to the next, in values. Of gray images, which have one channel, the last is 0.
  std::size_t sample_stride = 0;
  std::size_t row_stride = 0;
  std::size_t pixel_stride = 0;
  std::size_t channel_stride = 0;
  std::array<float, 3> scale = {1, 1, 1};
  std::array<float, 3> offset = {0.5F, 0.5F, 0.5F};  // with the half that rounds
};

void set_colour(const FieldPlan& field, const ImageReader& reader, ImageField& out) {
  if (field.dtype == DType::kU8) return;
  out.scale.fill(255);
  // The normalisation is the same for every image, so that of any will do.
  const auto drawn = reader.chain.draw({out.width, out.height}, {});
  if (!drawn.ok() || !drawn->colour.is_normalized) return;
  for (std::size_t c = 0; c < 3; ++c) {
    out.scale[c] = static_cast<float>(255 * drawn->colour.deviation[c]);
    out.offset[c] += static_cast<float>(255 * drawn->colour.mean[c]);
  }
}

ImageField image_field(const FieldPlan& field, const ImageReader& reader) {
  const bool is_planar = reader.format.layout == transform::Layout::kCHW;
  const auto num_channels = static_cast<std::size_t>(reader.format.channels);
  ImageField out;
  out.width = static_cast<int>(field.shape[is_planar ? 2 : 1]);
  out.height = static_cast<int>(field.shape[is_planar ? 1 : 0]);
  out.sample_stride = field.shape.size();
  out.pixel_stride = is_planar ? 1 : num_channels;
  out.row_stride = static_cast<std::size_t>(out.width) * out.pixel_stride;
  if (num_channels > 1) out.channel_stride = is_planar ? out.sample_stride / num_channels : 1;
  set_colour(field, reader, out);
  return out;
}

float float_of(std::uint8_t value) { return value; }
float float_of(float value) { return value; }

struct Half {
  std::uint16_t bits;
};
float float_of(Half half) {
  const float sign = (half.bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  const int exponent = (half.bits >> 10) & 0x1F;
  const int mantissa = half.bits & 0x3FF;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 0x400), exponent - 25);
}

// The upper half of a float.
struct Bfloat {
  std::uint16_t bits;
};
float float_of(Bfloat bfloat) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat.bits) << 16);
}

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0F, 255.0F));
}

// How many old pixels lie between two new ones, and which of them a new one is the mean of: four in
// a square, as far as the image has them.
struct Shrinking {
  std::size_t step;
  std::size_t right;  // values between the columns of the square
  std::size_t below;  // and between its rows
};

Shrinking shrinking(const ImageField& image) {
  const int longest = std::max(image.width, image.height);
  const int step = (longest + Thumbnails::kMaxSide - 1) / Thumbnails::kMaxSide;
  const auto side = [&](int limit) {
    return static_cast<std::size_t>(std::min(step / 2, limit - 1));
  };
  return {static_cast<std::size_t>(step), side(image.width) * image.pixel_stride,
          side(image.height) * image.row_stride};
}

// One channel of one picture. `out` is where its first value goes; the next is three further.
template <class Value>
void draw_channel(const ImageField& image, const Shrinking& by, std::size_t channel,
                  const Value* values, const Thumbnails& size, std::uint8_t* out) {
  const float scale = image.scale[channel] / 4;
  const float offset = image.offset[channel];
  for (int y = 0; y < size.height; ++y, values += by.step * image.row_stride) {
    const Value* at = values;
    for (int x = 0; x < size.width; ++x, at += by.step * image.pixel_stride, out += 3) {
      const float sum = float_of(at[0]) + float_of(at[by.right]) + float_of(at[by.below]) +
                        float_of(at[by.below + by.right]);
      *out = to_byte(sum * scale + offset);
    }
  }
}

template <class Value>
void draw(const ImageField& image, const std::byte* images, Thumbnails& out) {
  const Shrinking by = shrinking(image);
  out.width = std::max(1, image.width / static_cast<int>(by.step));
  out.height = std::max(1, image.height / static_cast<int>(by.step));
  const std::size_t picture_bytes =
      static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height) * 3;
  out.pixels.resize(out.captions.size() * picture_bytes);
  const auto* values = reinterpret_cast<const Value*>(images);
  for (std::size_t i = 0; i < out.captions.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      draw_channel(image, by, c, values + i * image.sample_stride + c * image.channel_stride, out,
                   out.pixels.data() + i * picture_bytes + c);
    }
  }
}

void draw_images(const FieldPlan& field, const ImageReader& reader, const Batch& batch,
                 Thumbnails& out) {
  const ImageField image = image_field(field, reader);
  const std::byte* images = batch.array(field.layout_field).data();
  switch (field.dtype) {
    case DType::kU8:
      return draw<std::uint8_t>(image, images, out);
    case DType::kF16:
      return draw<Half>(image, images, out);
    case DType::kBF16:
      return draw<Bfloat>(image, images, out);
    default:
      return draw<float>(image, images, out);
  }
}

bool is_label(const FieldPlan& field) {
  return std::holds_alternative<NumberReader>(field.reader) &&
         (field.dtype == DType::kI32 || field.dtype == DType::kI64);
}

void add_labels(const FieldPlan& field, const Batch& batch, std::span<const std::string> classes,
                Thumbnails& out) {
  const std::byte* labels = batch.array(field.layout_field).data();
  for (std::size_t i = 0; i < out.captions.size(); ++i) {
    const std::int64_t label = field.dtype == DType::kI64
                                   ? reinterpret_cast<const std::int64_t*>(labels)[i]
                                   : reinterpret_cast<const std::int32_t*>(labels)[i];
    out.captions[i].label = label;
    const auto place = static_cast<std::uint64_t>(label);
    if (place < classes.size()) out.captions[i].class_name = classes[place];
  }
}

void append_little(std::string& out, std::uint32_t value, int num_bytes) {
  for (int i = 0; i < num_bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

}  // namespace

Thumbnails make_thumbnails(const pipeline::Plan& plan, const Batch& batch) {
  Thumbnails out;
  const std::size_t num_pictures = std::min(batch.count, Thumbnails::kMaxPictures);
  out.captions.reserve(num_pictures);
  for (std::size_t i = 0; i < num_pictures; ++i) {
    const std::uint64_t sample = batch.samples[i];
    out.captions.push_back({sample, plan.source().sample_name(sample), std::nullopt, {}});
  }
  const auto& fields = plan.fields();
  const auto label = std::ranges::find_if(fields, &is_label);
  if (label != fields.end()) add_labels(*label, batch, plan.source().classes(), out);
  const auto image = std::ranges::find_if(fields, [](const FieldPlan& field) {
    return std::holds_alternative<ImageReader>(field.reader);
  });
  if (image != fields.end()) {
    draw_images(*image, std::get<ImageReader>(image->reader), batch, out);
  }
  return out;
}

std::string bmp_file(const Thumbnails& thumbnails) {
  if (thumbnails.pixels.empty()) return {};
  constexpr std::uint32_t kHeaderBytes = 14 + 40;
  const auto width = static_cast<std::size_t>(thumbnails.width);
  const std::size_t num_rows = thumbnails.pixels.size() / (3 * width);
  const std::size_t row_bytes = (3 * width + 3) / 4 * 4;
  const auto size = static_cast<std::uint32_t>(kHeaderBytes + num_rows * row_bytes);
  std::string out = "BM";
  for (const std::uint32_t value : {size, 0U, kHeaderBytes}) append_little(out, value, 4);
  append_little(out, 40, 4);  // bytes of the second header
  append_little(out, static_cast<std::uint32_t>(width), 4);
  append_little(out, 0U - static_cast<std::uint32_t>(num_rows), 4);  // negative: top row first
  append_little(out, 1, 2);                                          // planes
  append_little(out, 24, 2);                                         // bits of a pixel
  out.resize(size);
  for (std::size_t y = 0; y < num_rows; ++y) {
    const std::uint8_t* from = thumbnails.pixels.data() + y * width * 3;
    char* to = out.data() + kHeaderBytes + y * row_bytes;
    for (std::size_t x = 0; x < width; ++x, from += 3, to += 3) {
      for (const std::size_t c : {0, 1, 2}) to[c] = static_cast<char>(from[2 - c]);
    }
  }
  return out;
}

}  // namespace penstock::serve
