// The values of one feature of a tf.Example, still as they lie in the record.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::format {

enum class FeatureKind : std::uint8_t { kMissing, kBytes, kInt64, kFloat };

// "missing", "bytes", "int64", "float".
std::string_view feature_kind_name(FeatureKind kind);

struct Feature {
  FeatureKind kind = FeatureKind::kMissing;
  Bytes message;             // a BytesList, Int64List or FloatList; of a sequence a FeatureList
  bool is_sequence = false;  // from the feature lists of a SequenceExample: one feature a step
};

// From a Feature message, and from a FeatureList, whose kind is that of its first step that has
// one. Without values of a known kind the feature is kMissing. Fail with kCorrupt, and with
// kUnsupported if one feature has several lists.
Status parse_feature(Bytes message, Feature& out);
Status parse_feature_list(Bytes message, Feature& out);

// How many values there are, over all steps of a sequence; 0 if the feature is missing. Fails with
// kCorrupt.
Result<std::uint64_t> count_values(const Feature& feature);

// All values in order. `out` holds count_values() elements. Fail with kCorrupt if the kind is
// another one, the message is damaged or the number of values differs.
Status read_values(const Feature& feature, std::span<std::int64_t> out);
Status read_values(const Feature& feature, std::span<float> out);
// Views into the record, in place of what `out` held.
Status read_values(const Feature& feature, std::vector<Bytes>& out);

}  // namespace penstock::format
