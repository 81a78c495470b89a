// What the first samples hold of a field, for what can be known only from the data. Inside this
// layer only.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/format/feature.h"
#include "penstock/pipeline/readers.h"
#include "penstock/source/source.h"

namespace penstock::pipeline {

// A field of one sample, read from storage.
struct FieldValue {
  std::vector<std::byte> memory;  // what the others point into
  Bytes bytes;                    // kBytes
  format::Feature feature;        // kFeature
};

// Reads samples from the first on, until `learn` is content with one that has the field. Gives up
// after a few of them, with the first failure.
Status learn_from_first(const source::Source& source, const FieldPlan& plan,
                        const std::function<Status(const FieldValue&)>& learn);

}  // namespace penstock::pipeline
