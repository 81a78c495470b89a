// Features as fields: which type their numbers are, and the one value that most fields are.
#pragma once

#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/format/feature.h"

namespace penstock::pipeline {

// Of a feature with numbers: i64 or f32. Bytes are kInvalidArgument.
Result<DType> number_type(const format::Feature& feature);

// The bytes of a feature that has one value of bytes; a view into the record. `values` is scratch.
Result<Bytes> only_bytes(const format::Feature& feature, std::vector<Bytes>& values);

}  // namespace penstock::pipeline
