// Shrinks images by averaging a few of the pixels that each new one stands for.
#include "penstock/serve/thumbnails.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
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
  // From one to the next, in bytes. Of gray images, which have one channel, the last is 0.
  std::size_t sample_bytes = 0;
  std::size_t row_bytes = 0;
  std::size_t pixel_bytes = 0;
  std::size_t channel_bytes = 0;
  std::array<float, 3> scale = {1, 1, 1};
  std::array<float, 3> offset = {0, 0, 0};
};

void set_colour(const FieldPlan& field, const ImageReader& reader, ImageField& out) {
  if (field.dtype == DType::kU8) return;
  out.scale.fill(255);
  // The normalisation is the same for every image, so that of any will do.
  const auto drawn = reader.chain.draw({out.width, out.height}, {});
  if (!drawn.ok() || !drawn->colour.is_normalized) return;
  for (std::size_t c = 0; c < 3; ++c) {
    out.scale[c] = static_cast<float>(255 * drawn->colour.deviation[c]);
    out.offset[c] = static_cast<float>(255 * drawn->colour.mean[c]);
  }
}

ImageField image_field(const FieldPlan& field, const ImageReader& reader) {
  const bool is_planar = reader.format.layout == transform::Layout::kCHW;
  const std::size_t value_bytes = size_bytes(field.dtype);
  const auto num_channels = static_cast<std::size_t>(reader.format.channels);
  ImageField out;
  out.width = static_cast<int>(field.shape[is_planar ? 2 : 1]);
  out.height = static_cast<int>(field.shape[is_planar ? 1 : 0]);
  out.sample_bytes = field.shape.size() * value_bytes;
  out.pixel_bytes = (is_planar ? 1 : num_channels) * value_bytes;
  out.row_bytes = static_cast<std::size_t>(out.width) * out.pixel_bytes;
  if (num_channels > 1) {
    out.channel_bytes = is_planar ? out.sample_bytes / num_channels : value_bytes;
  }
  set_colour(field, reader, out);
  return out;
}

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

float half_to_float(std::uint16_t half) {
  const float sign = (half & 0x8000U) != 0 ? -1.0F : 1.0F;
  const int exponent = (half >> 10) & 0x1F;
  const int mantissa = half & 0x3FF;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 0x400), exponent - 25);
}

// A bfloat is the upper half of a float.
float bfloat_to_float(std::uint16_t bfloat) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat) << 16);
}

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0F, 255.0F) + 0.5F);
}

// Each new pixel is the mean of four old ones. `load_value` reads one.
template <class LoadValue>
void draw(const ImageField& image, const std::byte* images, LoadValue load_value, Thumbnails& out) {
  const int step =
      (std::max(image.width, image.height) + Thumbnails::kMaxSide - 1) / Thumbnails::kMaxSide;
  out.width = std::max(1, image.width / step);
  out.height = std::max(1, image.height / step);
  const auto bytes_of = [](std::size_t bytes, int count) {
    return bytes * static_cast<std::size_t>(count);
  };
  const std::size_t right = bytes_of(image.pixel_bytes, std::min(step / 2, image.width - 1));
  const std::size_t below = bytes_of(image.row_bytes, std::min(step / 2, image.height - 1));
  const auto mean = [&](const std::byte* at) {
    return (load_value(at) + load_value(at + right) + load_value(at + below) +
            load_value(at + below + right)) /
           4;
  };
  out.pixels.reserve(out.captions.size() * bytes_of(bytes_of(3, out.width), out.height));
  for (std::size_t i = 0; i < out.captions.size(); ++i) {
    for (int y = 0; y < out.height; ++y) {
      const std::byte* at = images + i * image.sample_bytes + bytes_of(image.row_bytes, y * step);
      for (int x = 0; x < out.width; ++x, at += bytes_of(image.pixel_bytes, step)) {
        for (std::size_t c = 0; c < 3; ++c) {
          const float value = mean(at + c * image.channel_bytes);
          out.pixels.push_back(to_byte(value * image.scale[c] + image.offset[c]));
        }
      }
    }
  }
}

void draw_images(const FieldPlan& field, const ImageReader& reader, const Batch& batch,
                 Thumbnails& out) {
  const ImageField image = image_field(field, reader);
  const std::byte* images = batch.array(field.layout_field).data();
  const auto draw_with = [&](auto load_value) { draw(image, images, load_value, out); };
  switch (field.dtype) {
    case DType::kU8:
      return draw_with(
          [](const std::byte* at) { return static_cast<float>(load<std::uint8_t>(at)); });
    case DType::kF16:
      return draw_with([](const std::byte* at) { return half_to_float(load<std::uint16_t>(at)); });
    case DType::kBF16:
      return draw_with(
          [](const std::byte* at) { return bfloat_to_float(load<std::uint16_t>(at)); });
    default:
      return draw_with(&load<float>);
  }
}

bool is_label(const FieldPlan& field) {
  return std::holds_alternative<NumberReader>(field.reader) &&
         (field.dtype == DType::kI32 || field.dtype == DType::kI64);
}

void add_labels(const FieldPlan& field, const Batch& batch, std::span<const std::string> classes,
                Thumbnails& out) {
  const std::byte* at = batch.array(field.layout_field).data();
  for (Caption& caption : out.captions) {
    const bool is_long = field.dtype == DType::kI64;
    const std::int64_t label = is_long ? load<std::int64_t>(at) : load<std::int32_t>(at);
    at += size_bytes(field.dtype);
    caption.label = label;
    const auto place = static_cast<std::uint64_t>(label);
    if (place < classes.size()) caption.class_name = classes[place];
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
  out.reserve(size);
  for (const std::uint32_t value : {size, 0U, kHeaderBytes}) append_little(out, value, 4);
  append_little(out, 40, 4);  // bytes of the second header
  append_little(out, static_cast<std::uint32_t>(width), 4);
  append_little(out, 0U - static_cast<std::uint32_t>(num_rows), 4);  // negative: top row first
  append_little(out, 1, 2);                                          // planes
  append_little(out, 24, 2);                                         // bits of a pixel
  out.append(24, '\0');
  for (std::size_t y = 0; y < num_rows; ++y) {
    const std::uint8_t* row = thumbnails.pixels.data() + y * width * 3;
    for (std::size_t x = 0; x < width; ++x) {
      for (const std::size_t c : {2, 1, 0}) out += static_cast<char>(row[3 * x + c]);
    }
    out.append(row_bytes - 3 * width, '\0');
  }
  return out;
}

}  // namespace penstock::serve
