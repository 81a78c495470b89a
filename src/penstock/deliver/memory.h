// How a ceiling of memory is divided among what a run holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "penstock/base/result.h"
#include "penstock/deliver/assembly.h"
#include "penstock/deliver/reader.h"
#include "penstock/pipeline/plan.h"

namespace penstock::deliver {

// Every part is a limit that is kept to, and together they are below the ceiling. Windows need no
// memory: the order is computed, and samples are read when their turn comes.
struct MemoryPlan {
  std::uint64_t ceiling_bytes = 0;
  std::uint64_t index_bytes = 0;        // the source's
  std::uint64_t entry_point_bytes = 0;  // the table and the buffers of their store
  std::size_t group_size = 1;           // samples that a worker writes at once
  std::size_t num_readers = 1;          // threads
  ReadAheadLimits reading;              // samples beyond a stretch's bytes wait their turn
  BlockBufferLimits blocks;             // none where ranges are read as they are
  std::uint64_t sample_cache_bytes = 0;
  std::size_t scratch_bytes = 0;  // for an image that is decoded, of each worker
  // For a sample that needs more of either; one at a time.
  std::size_t large_bytes = 0;
  AssemblyLimits slots;
};

struct MemoryRequest {
  int num_threads = 1;
  int num_running = 1;  // of the threads, at once
  // Batches; fewer if they do not fit. There may be up to `max_prefetch` of them later.
  int prefetch = 2;
  int max_prefetch = 0;
  std::uint64_t ceiling_bytes = 0;
  std::uint64_t entry_point_bytes = 0;  // wanted; fewer if they do not fit
  // What a cache of samples that is there already may hold.
  std::optional<std::uint64_t> sample_cache_bytes;
};

// Fails with kResourceExhausted, naming the smallest ceiling that would do.
Result<MemoryPlan> plan_memory(const pipeline::Plan& plan, const MemoryRequest& request);

}  // namespace penstock::deliver
