// Images: what they are decoded to, and where that is known beforehand, how large they are.
#include <array>
#include <optional>
#include <utility>

#include "penstock/pipeline/reader_def.h"

namespace penstock::pipeline {
namespace {

using source::FieldInfo;

enum class LayoutOption : std::uint8_t { kCHW, kHWC };
constexpr std::array<std::string_view, 2> enum_names(LayoutOption) { return {"CHW", "HWC"}; }

enum class PixelType : std::uint8_t { kAuto, kU8, kF16, kBF16, kF32 };
constexpr std::array<std::string_view, 5> enum_names(PixelType) {
  return {"auto", "u8", "f16", "bf16", "f32"};
}

struct ImageOptions {
  PixelType dtype = PixelType::kAuto;
  LayoutOption layout = LayoutOption::kCHW;
  int channels = 3;
  bool orientation = true;

  static constexpr auto fields() {
    return std::tuple{
        Field{"dtype", &ImageOptions::dtype,
              "Type of the pixels; auto: f32 if normalised, else u8."},
        Field{"layout", &ImageOptions::layout, "Channels first or last."},
        Field{"channels", &ImageOptions::channels, "3 for RGB, 1 for gray."},
        Field{"orientation", &ImageOptions::orientation, "Turn images upright as EXIF says."}};
  }
};

DType resolve_type(PixelType type, bool is_normalized) {
  switch (type) {
    case PixelType::kU8:
      return DType::kU8;
    case PixelType::kF16:
      return DType::kF16;
    case PixelType::kBF16:
      return DType::kBF16;
    case PixelType::kF32:
      return DType::kF32;
    case PixelType::kAuto:
      break;
  }
  return is_normalized ? DType::kF32 : DType::kU8;
}

// Pixels in memory: height x width x channels of u8.
Status plan_raw_image(const FieldInfo& info, const ImageOptions& options, ImageReader& reader) {
  if (info.dtype != DType::kU8 || info.shape.rank() != 3 || info.shape[2] != options.channels) {
    return invalid_argument("rows are ", info.shape.text(), " of ", dtype_name(info.dtype),
                            ", expected height x width x ", options.channels, " of u8");
  }
  reader.is_raw = true;
  reader.raw_size = {static_cast<int>(info.shape[1]), static_cast<int>(info.shape[0])};
  return {};
}

Status plan_image(const ReaderTask& task, FieldPlan& plan) {
  ImageOptions options;
  PENSTOCK_TRY(parse_fields(task.spec.reader.options, options));
  if (options.channels != 1 && options.channels != 3) {
    return invalid_argument("channels is ", options.channels, ", expected 1 or 3");
  }
  ImageReader reader;
  reader.first_op = task.first_op;
  reader.decode = {.applies_orientation = options.orientation, .channels = options.channels};
  PENSTOCK_TRY_ASSIGN(reader.chain, transform::make_chain(task.spec.ops));

  std::optional<ImageSize> input;
  if (plan.is_in_storage()) {
    PENSTOCK_TRY(check_holds_bytes(first_info(task, plan)));
  } else {
    PENSTOCK_TRY(plan_raw_image(first_info(task, plan), options, reader));
    input = reader.raw_size;
  }
  const std::optional<ImageSize> output = reader.chain.output_size(input);
  if (!output) {
    return invalid_argument(
        "images may differ in size, and a batch needs one size: add an op that fixes it, "
        "like random_resized_crop, center_crop, or resize with height and width");
  }
  const DType dtype = resolve_type(options.dtype, reader.chain.is_normalized());
  const bool is_chw = options.layout == LayoutOption::kCHW;
  reader.format = {.dtype = dtype,
                   .layout = is_chw ? transform::Layout::kCHW : transform::Layout::kHWC,
                   .channels = options.channels};
  PENSTOCK_TRY(reader.chain.check_format(reader.format));
  plan.dtype = dtype;
  plan.shape = is_chw ? Shape{options.channels, output->height, output->width}
                      : Shape{output->height, output->width, options.channels};
  plan.reader = std::move(reader);
  return {};
}

}  // namespace

ReaderDef image_reader() {
  return {"image", "An image, decoded, through its ops.", &field_docs<ImageOptions>, &plan_image};
}

}  // namespace penstock::pipeline
