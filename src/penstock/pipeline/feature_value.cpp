// Features as fields.
#include "penstock/pipeline/feature_value.h"

namespace penstock::pipeline {

using format::FeatureKind;

Result<DType> number_type(const format::Feature& feature) {
  if (feature.kind == FeatureKind::kInt64) return DType::kI64;
  if (feature.kind == FeatureKind::kFloat) return DType::kF32;
  return invalid_argument("is a feature of bytes, expected numbers");
}

Result<Bytes> only_bytes(const format::Feature& feature, std::vector<Bytes>& values) {
  if (feature.kind != FeatureKind::kBytes) {
    return invalid_argument("is a feature of numbers, expected bytes");
  }
  PENSTOCK_TRY(format::read_values(feature, values));
  if (values.size() == 1) return values[0];
  return unsupported("has ", values.size(), " values of bytes, expected one; lists are not read");
}

}  // namespace penstock::pipeline
