// The fields of a TFRecord source: as the user writes them, or as the first records have them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/format/feature.h"
#include "penstock/source/source.h"

namespace penstock::source {

// From texts as of TfrecordOptions::features. Fails with kInvalidArgument, naming the text.
Result<std::vector<FieldInfo>> parse_feature_fields(std::span<const std::string> texts);

// Adds the features of an example that `fields` lacks; stays sorted by name. A feature without a
// kind is left out. Fails with kCorrupt if it is no example, or a feature has another kind.
Status add_feature_fields(Bytes example, std::vector<FieldInfo>& fields);

// The kind of the feature behind a kFeature field.
format::FeatureKind feature_kind(const FieldInfo& field);

}  // namespace penstock::source
