// What will run: a Spec that was checked against its source. No threads yet.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/batch/layout.h"
#include "penstock/order/order.h"
#include "penstock/order/sequence.h"
#include "penstock/pipeline/readers.h"
#include "penstock/pipeline/sources.h"
#include "penstock/pipeline/spec.h"

namespace penstock::pipeline {

// What a Plan needs beside the Spec.
struct PlanInputs {
  SourceInputs source;
  RankSpec launcher;                          // taken if the Spec does not say
  std::optional<std::uint64_t> memory_bytes;  // the ceiling, if one was given
  bool tolerates_damage = false;              // go on with what damaged shards still hold
};

// Mean sizes of a sample.
struct SampleBytes {
  std::uint64_t stored = 0;  // in storage, of the fields that are read
  std::uint64_t ragged = 0;  // of its ragged fields
};

enum class CacheContent : std::uint8_t { kBytes, kPixels };
constexpr std::array<std::string_view, 2> enum_names(CacheContent) { return {"bytes", "pixels"}; }

// What is kept in memory of samples that were read.
struct MemoryCachePlan {
  std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max();
  CacheContent what = CacheContent::kBytes;
};

// Immutable; safe from any thread.
class Plan {
 public:
  // As asked, with what was left open resolved: rank, world size, shuffle window.
  const Spec& spec() const { return spec_; }
  const source::Source& source() const { return *source_.source; }
  const order::Sequence& sequence() const { return sequence_; }
  // The batches of a whole epoch.
  const order::Batches& batches() const { return batches_; }
  // Those of an epoch that goes on at a position.
  Result<order::Batches> batches_from(std::uint64_t first_position) const;
  const std::vector<FieldPlan>& fields() const { return fields_; }
  // The source's fields that are features of a record, those of all `fields()` one after the other.
  const std::vector<int>& features() const { return features_; }
  const batch::BatchLayout& layout() const { return layout_; }
  // Whether any field comes from storage.
  bool reads_storage() const;
  // Memory that one batch takes, about, if it has ragged fields.
  std::uint64_t slot_bytes() const;
  // Mean bytes that one sample takes in storage; 0 if nothing is read.
  std::uint64_t mean_sample_bytes() const { return sample_bytes_.stored; }
  // Null if there is no cache on disk.
  const storage::CacheCounters* disk_cache() const { return disk_cache_.get(); }
  // nullopt if nothing is kept in memory.
  const std::optional<MemoryCachePlan>& memory_cache() const { return memory_cache_; }

 private:
  friend Result<std::unique_ptr<const Plan>> make_plan(const Spec& spec, const PlanInputs& inputs);
  Plan(Spec spec, OpenSource source, std::vector<FieldPlan> fields, order::Sequence sequence,
       order::Batches batches);
  // Gives each field its place in the layout and among the features.
  void place_field(FieldPlan& field);

  Spec spec_;
  OpenSource source_;
  std::vector<FieldPlan> fields_;
  order::Sequence sequence_;
  order::Batches batches_;
  batch::BatchLayout layout_;
  std::vector<int> features_;
  SampleBytes sample_bytes_;
  std::shared_ptr<const storage::CacheCounters> disk_cache_;
  std::optional<MemoryCachePlan> memory_cache_;
};

// Everything that can be wrong about a Spec is reported here, naming the part, the option and the
// value.
Result<std::unique_ptr<const Plan>> make_plan(const Spec& spec, const PlanInputs& inputs);

}  // namespace penstock::pipeline
