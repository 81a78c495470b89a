// One sample's way from bytes to its place in the batch slot.
#pragma once

#include <cstddef>
#include <span>

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
};

// A sample to be written: its number, its bytes (one piece a field of the plan; none if the plan
// reads no storage) and its place.
struct SamplePlace {
  std::uint64_t sample = 0;
  std::uint32_t epoch = 0;
  std::span<const Piece> pieces;
  batch::Batch* batch = nullptr;
  std::size_t index = 0;
};

// Reads, decodes, transforms and writes every field. A failure names the sample.
Status fill_sample(const pipeline::Plan& plan, const SamplePlace& place, FillScratch& scratch,
                   LapClock& clock);

}  // namespace penstock::deliver
