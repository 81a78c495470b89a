// The kinds of sources a Spec can name, and how each is opened.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "penstock/base/fields.h"
#include "penstock/base/result.h"
#include "penstock/order/sequence.h"
#include "penstock/pipeline/spec.h"
#include "penstock/source/source.h"
#include "penstock/storage/cache/cached_storage.h"
#include "penstock/storage/storage.h"

namespace penstock::pipeline {

// What a Spec cannot say in words.
struct SourceInputs {
  std::vector<std::vector<source::ArrayColumn>> arrays;  // tables for the kind "arrays"
  source::ProgressFn progress;
  std::stop_token stop;  // ends what takes long on a network, also after the source is open
  std::optional<storage::CacheOptions> cache;  // for what lies behind one
};

// One of the sources that a mix draws from: the next `num_shards` shards of it.
struct MixPart {
  double weight = 0;  // against those of the other parts
  std::uint64_t num_shards = 0;
  friend bool operator==(const MixPart&, const MixPart&) = default;
};

// A source with the storages it reads from.
struct OpenSource {
  std::vector<std::unique_ptr<storage::Storage>> storages;  // none if the samples are in memory
  std::unique_ptr<source::Source> source;
  bool is_sharded = false;                    // reading in order is cheaper than at random
  std::vector<MixPart> parts;                 // of a mix; else none
  order::Until until = order::Until::kFirst;  // when an epoch of a mix ends
};

Result<OpenSource> open_source(const SourceSpec& spec, const SourceInputs& inputs);

struct SourceDoc {
  std::string_view kind;
  std::string_view doc;
  std::vector<FieldDoc> options;
};
std::vector<SourceDoc> source_docs();

}  // namespace penstock::pipeline
