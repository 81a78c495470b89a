// The values of one feature of a tf.Example, still as they lie in the record.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::format {

enum class FeatureKind : std::uint8_t { kMissing, kBytes, kInt64, kFloat };

struct Feature {
  FeatureKind kind = FeatureKind::kMissing;
  Bytes message;             // a BytesList, Int64List or FloatList; of a sequence a FeatureList
  bool is_sequence = false;  // from the feature lists of a SequenceExample: one feature a step
};

// How many values there are, over all steps of a sequence.
Result<std::uint64_t> count_values(const Feature& feature);

// All values in order. `out` holds count_values() elements. Fail with kCorrupt if the kind is
// another one or the message is damaged.
Status read_values(const Feature& feature, std::span<std::int64_t> out);
Status read_values(const Feature& feature, std::span<float> out);
// Views into the record.
Status read_values(const Feature& feature, std::vector<Bytes>& out);

}  // namespace penstock::format
