// One sample's way from bytes to its place in the batch slot.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "penstock/base/result.h"
#include "penstock/batch/batch.h"
#include "penstock/decode/decode.h"
#include "penstock/deliver/counters.h"
#include "penstock/deliver/reader.h"
#include "penstock/pipeline/plan.h"
#include "penstock/transform/render.h"

namespace penstock::deliver {

// Buffers that are kept from sample to sample. One a thread.
struct FillScratch {
  decode::DecodeScratch decode;
  transform::RenderScratch render;

  std::size_t size_bytes() const { return decode.size_bytes() + render.size_bytes(); }
};

// A sample to be written: which, its bytes (one piece a field of the plan; none if the plan reads
// no storage) and its place.
struct SamplePlace {
  order::Pick pick;
  std::span<const Piece> pieces;
  batch::Batch* batch = nullptr;
  std::size_t index = 0;
};

// Why a sample could not be written, and at which stage: "read", "decode".
struct FillFailure {
  Status status;  // ok if it was written
  std::string_view stage;
};

// Decodes, transforms and writes every field.
FillFailure fill_sample(const pipeline::Plan& plan, const SamplePlace& place, FillScratch& scratch,
                        LapClock& clock);

}  // namespace penstock::deliver
