// The kinds of sources a Spec can name, and how each is opened.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "penstock/base/fields.h"
#include "penstock/base/result.h"
#include "penstock/order/sequence.h"
#include "penstock/pipeline/spec.h"
#include "penstock/source/source.h"
#include "penstock/storage/storage.h"

namespace penstock::pipeline {

// What a Spec cannot say in words.
struct SourceInputs {
  std::vector<source::ArrayColumn> arrays;  // for kind "arrays"
  source::ProgressFn progress;
};

// A dataset in a mix.
struct MixPart {
  double weight = 1;
  std::uint64_t num_shards = 0;
};

// A source with the storage it reads from.
struct OpenSource {
  std::unique_ptr<storage::Storage> storage;  // null if the samples are in memory
  std::unique_ptr<source::Source> source;
  bool is_sharded = false;     // reading in order is cheaper than at random
  std::vector<MixPart> parts;  // of a mix: what its shards belong to, in order; else empty
  order::Until until = order::Until::kFirst;  // of a mix: when an epoch ends
};

Result<OpenSource> open_source(const SourceSpec& spec, const SourceInputs& inputs);

struct SourceDoc {
  std::string_view kind;
  std::string_view doc;
  std::vector<FieldDoc> options;
};
std::vector<SourceDoc> source_docs();

}  // namespace penstock::pipeline
