// Binding the fields of a Spec to the fields of a source.
#include "penstock/pipeline/readers.h"

#include <array>
#include <optional>
#include <utility>

namespace penstock::pipeline {
namespace {

using source::FieldInfo;
using source::FieldKind;

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

struct NoOptions {
  static constexpr auto fields() { return std::tuple{}; }
};

std::vector<std::string_view> split_names(std::string_view names) {
  std::vector<std::string_view> out;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(';'), names.size());
    out.push_back(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return out;
}

std::string known_names(const source::Source& source) {
  std::string out;
  for (const FieldInfo& info : source.fields()) {
    if (!out.empty()) out += ", ";
    out += info.name;
  }
  return out;
}

// The source's fields that the name means; all of one kind.
Status find_source_fields(const FieldSpec& spec, const source::Source& source, FieldPlan& plan) {
  const std::span<const FieldInfo> infos = source.fields();
  for (const std::string_view name : split_names(spec.name)) {
    for (std::size_t i = 0; i < infos.size(); ++i) {
      if (infos[i].name == name) plan.source_fields.push_back(static_cast<int>(i));
    }
  }
  if (plan.source_fields.empty()) {
    return invalid_argument("no sample has a field '", spec.name,
                            "', expected one of: ", known_names(source));
  }
  plan.kind = infos[static_cast<std::size_t>(plan.source_fields[0])].kind;
  return {};
}

const FieldInfo& first_info(const FieldPlan& plan, const source::Source& source) {
  return source.fields()[static_cast<std::size_t>(plan.source_fields[0])];
}

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

Status plan_image(const FieldSpec& spec, const source::Source& source, std::uint16_t first_op,
                  FieldPlan& plan) {
  ImageOptions options;
  PENSTOCK_TRY(parse_fields(spec.reader.options, options));
  if (options.channels != 1 && options.channels != 3) {
    return invalid_argument("channels is ", options.channels, ", expected 1 or 3");
  }
  ImageReader reader;
  reader.first_op = first_op;
  reader.decode = {.applies_orientation = options.orientation, .channels = options.channels};
  PENSTOCK_TRY_ASSIGN(reader.chain, transform::make_chain(spec.ops));

  std::optional<ImageSize> input;
  if (!plan.is_in_storage()) {
    PENSTOCK_TRY(plan_raw_image(first_info(plan, source), options, reader));
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

Status plan_label(const FieldSpec& spec, const source::Source& source, FieldPlan& plan) {
  NoOptions options;
  PENSTOCK_TRY(parse_fields(spec.reader.options, options));
  if (!spec.ops.empty()) return invalid_argument("takes no ops, found ", spec.ops[0].name);
  plan.dtype = DType::kI64;
  if (!plan.is_in_storage()) {
    const FieldInfo& info = first_info(plan, source);
    if (info.shape.rank() != 0) {
      return invalid_argument("rows are ", info.shape.text(), ", expected one number; use array");
    }
    plan.dtype = info.dtype;
  }
  plan.reader = LabelReader{};
  return {};
}

Status plan_array(const FieldSpec& spec, const source::Source& source, FieldPlan& plan) {
  NoOptions options;
  PENSTOCK_TRY(parse_fields(spec.reader.options, options));
  if (!spec.ops.empty()) return invalid_argument("takes no ops, found ", spec.ops[0].name);
  if (plan.is_in_storage()) {
    return invalid_argument("is bytes in a file, expected an array in memory");
  }
  const FieldInfo& info = first_info(plan, source);
  plan.dtype = info.dtype;
  plan.shape = info.shape;
  plan.reader = ArrayReader{};
  return {};
}

Status plan_reader(const FieldSpec& spec, const source::Source& source, std::uint16_t first_op,
                   FieldPlan& plan) {
  if (spec.reader.name == "image") return plan_image(spec, source, first_op, plan);
  if (spec.reader.name == "label") return plan_label(spec, source, plan);
  if (spec.reader.name == "array") return plan_array(spec, source, plan);
  return invalid_argument("no reader '", spec.reader.name, "', expected image, label or array");
}

}  // namespace

Result<source::Piece> FieldPlan::locate(const source::Source& source, std::uint64_t sample) const {
  for (std::size_t i = 0; i + 1 < source_fields.size(); ++i) {
    auto piece = source.locate(sample, source_fields[i]);
    if (piece.ok()) return piece;
  }
  return source.locate(sample, source_fields.back());
}

Result<FieldPlan> plan_field(const FieldSpec& spec, const source::Source& source,
                             std::uint16_t first_op) {
  FieldPlan plan;
  plan.name = spec.name;
  const std::string where = concat(spec.reader.name, " '", spec.name, "'");
  PENSTOCK_TRY(find_source_fields(spec, source, plan).at(where));
  PENSTOCK_TRY(plan_reader(spec, source, first_op, plan).at(where));
  return plan;
}

std::vector<ReaderDoc> reader_docs() {
  return {{"image", "An image, decoded, through its ops.", field_docs<ImageOptions>()},
          {"label", "A whole number.", field_docs<NoOptions>()},
          {"array", "An array in memory, as it is.", field_docs<NoOptions>()}};
}

}  // namespace penstock::pipeline
