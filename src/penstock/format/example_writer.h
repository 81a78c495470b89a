// Serialises a tf.train.Example. The same features give the same bytes everywhere: they are sorted
// by name, and numbers are packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::format {

using FeatureValues =
    std::variant<std::vector<Bytes>, std::vector<std::int64_t>, std::vector<float>>;

struct FeatureInput {
  std::string_view name;
  FeatureValues values;
};

// In any order. Fails with kInvalidArgument if two have the same name or the example would have
// 2 GiB or more, which protobuf does not allow.
Result<std::string> encode_example(std::span<const FeatureInput> features);

}  // namespace penstock::format
