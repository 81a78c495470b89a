// One sample's way from bytes to its place in the batch slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/batch/batch.h"
#include "penstock/decode/decode.h"
#include "penstock/deliver/counters.h"
#include "penstock/deliver/entry_point_store.h"
#include "penstock/deliver/reader.h"
#include "penstock/deliver/sample_cache.h"
#include "penstock/format/feature.h"
#include "penstock/pipeline/plan.h"
#include "penstock/transform/render.h"

namespace penstock::deliver {

// Buffers that are kept from sample to sample. One a thread.
struct FillScratch {
  decode::DecodeScratch decode;
  transform::RenderScratch render;
  std::vector<format::Feature> features;  // of the sample, in the order of Plan::features()
  std::vector<Bytes> values;              // of a feature of bytes
  std::vector<std::int64_t> whole_numbers;
  std::vector<float> real_numbers;
  EntryPointStore* entry_points = nullptr;  // where those that are learnt go; null: none are
  SampleCache* cache = nullptr;             // where images that are kept go

  // Bytes held now.
  std::size_t size_bytes() const;
};

// A sample to be written: which, its bytes (one piece a field of the plan; none if the plan reads
// no storage) and its place.
struct SamplePlace {
  order::Pick pick;
  std::span<const Piece> pieces;
  batch::Batch* batch = nullptr;
  std::size_t index = 0;
};

// How the filling of a sample ended.
struct FillOutcome {
  Status status;               // a failure names the field
  Stage stage = Stage::kRead;  // where it failed: kRead (the bytes, or a field that is missing),
                               // kDecode or kTransform; of a success, of no meaning
};

// Decodes, transforms and writes every field.
FillOutcome fill_sample(const pipeline::Plan& plan, const SamplePlace& place, FillScratch& scratch,
                        LapClock& clock);

}  // namespace penstock::deliver
