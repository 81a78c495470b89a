// Finds features in a serialised tf.train.Example or tf.train.SequenceExample, without copying.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/format/feature.h"

namespace penstock::format {

// out[i] is the feature called names[wanted[i]], or kMissing. An Example is read like the context
// of a SequenceExample, whose feature lists come out as sequences; a name in both is that of the
// context. Of map entries with the same name the last counts, and what is not known is passed over,
// as in protobuf. Allocates nothing. Fails with kCorrupt, naming the byte and the feature if that
// far; kUnsupported if the values of a feature come in several parts.
Status find_features(Bytes example, std::span<const std::string> names, std::span<const int> wanted,
                     std::span<Feature> out);

struct NamedFeature {
  std::string_view name;  // in the record
  Feature feature;
};

// Every feature by the same rules, sorted by name.
Result<std::vector<NamedFeature>> list_features(Bytes example);

}  // namespace penstock::format
