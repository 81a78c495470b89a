// Which features the samples of a TFRecord source have, and of which kind they are.
#include "penstock/source/feature_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "penstock/format/example_reader.h"

namespace penstock::source {
namespace {

struct KindName {
  std::string_view name;
  DType dtype;
};
constexpr std::array<KindName, 3> kKinds{
    {{"int64", DType::kI64}, {"float", DType::kF32}, {"bytes", DType::kU8}}};

DType dtype_of(format::FeatureKind kind) {
  switch (kind) {
    case format::FeatureKind::kInt64:
      return DType::kI64;
    case format::FeatureKind::kFloat:
      return DType::kF32;
    default:
      return DType::kU8;
  }
}

// "3,4" or "3x4": one to four sides of 1 or more.
std::optional<Shape> parse_shape(std::string_view text) {
  std::vector<std::int64_t> sides;
  while (true) {
    std::int64_t side = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
    if (error != std::errc{} || side < 1) return std::nullopt;
    sides.push_back(side);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != ',' && text.front() != 'x') return std::nullopt;
    text.remove_prefix(1);
  }
  if (sides.size() > Shape::kMaxRank) return std::nullopt;
  return Shape(sides);
}

Result<FieldInfo> parse_feature_field(std::string_view text) {
  const auto refuse = [&] {
    return invalid_argument("feature '", text,
                            "', expected name:int64, name:float or name:bytes, with a shape like "
                            "[3x4] behind it or none");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return refuse();
  FieldInfo field{.name = std::string(text.substr(0, colon)), .kind = FieldKind::kFeature};
  std::string_view kind = text.substr(colon + 1);
  const std::size_t bracket = kind.find('[');
  if (bracket != std::string_view::npos) {
    if (!kind.ends_with(']')) return refuse();
    const auto shape = parse_shape(kind.substr(bracket + 1, kind.size() - bracket - 2));
    if (!shape) return refuse();
    field.shape = *shape;
    kind = kind.substr(0, bracket);
  }
  const auto known = std::ranges::find(kKinds, kind, &KindName::name);
  if (known == kKinds.end()) return refuse();
  field.dtype = known->dtype;
  return field;
}

}  // namespace

Result<std::vector<FieldInfo>> parse_feature_fields(std::span<const std::string> texts) {
  std::vector<FieldInfo> fields;
  for (const std::string& text : texts) {
    PENSTOCK_TRY_ASSIGN(FieldInfo field, parse_feature_field(text));
    if (std::ranges::find(fields, field.name, &FieldInfo::name) != fields.end()) {
      return invalid_argument("two features are named ", field.name);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

Status add_feature_fields(Bytes example, std::vector<FieldInfo>& fields) {
  PENSTOCK_TRY_ASSIGN(const auto features, format::list_features(example));
  for (const auto& [name, feature] : features) {
    if (feature.kind == format::FeatureKind::kMissing) continue;
    const auto place = std::ranges::lower_bound(fields, name, {}, &FieldInfo::name);
    if (place == fields.end() || place->name != name) {
      fields.insert(place, {.name = std::string(name),
                            .kind = FieldKind::kFeature,
                            .dtype = dtype_of(feature.kind)});
    } else if (feature_kind(*place) != feature.kind) {
      return corrupt("feature ", name, " is of kind ", feature_kind_name(feature.kind),
                     ", expected ", feature_kind_name(feature_kind(*place)),
                     " as in the records before");
    }
  }
  return {};
}

format::FeatureKind feature_kind(const FieldInfo& field) {
  switch (field.dtype) {
    case DType::kI64:
      return format::FeatureKind::kInt64;
    case DType::kF32:
      return format::FeatureKind::kFloat;
    default:
      return format::FeatureKind::kBytes;
  }
}

}  // namespace penstock::source
