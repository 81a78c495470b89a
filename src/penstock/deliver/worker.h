// What a worker thread does: writes the samples of a group into their batch, and deals with those
// that cannot be read.
#pragma once

#include <mutex>
#include <vector>

#include "penstock/batch/batch.h"
#include "penstock/deliver/assembly.h"
#include "penstock/deliver/counters.h"
#include "penstock/deliver/entry_points.h"
#include "penstock/deliver/errors.h"
#include "penstock/deliver/fill.h"
#include "penstock/deliver/memory.h"
#include "penstock/deliver/reader.h"
#include "penstock/pipeline/plan.h"

namespace penstock::deliver {

// What the workers of a run share.
struct Workshop {
  const pipeline::Plan& plan;
  const MemoryPlan& memory;
  OnError on_error = OnError::kRaise;
  Assembly& assembly;
  EntryPoints* entry_points = nullptr;  // null: none are used
  SampleCache* cache = nullptr;         // null: samples are not kept
  std::mutex large_sample{};  // held by the one that works on a sample of more than ordinary size
};

class Worker {
 public:
  Worker(Workshop& workshop, ThreadCounters& counters);

  // The time from here on counts.
  void begin() { clock_.restart(); }
  // False once the run is stopped.
  bool write(const LoadedGroup& loaded);

 private:
  // The slot of the group's batch, when there is one; counts what was waited for until then.
  batch::Batch* open_slot(const Group& group);
  // Whatever memory the sample needs.
  FillOutcome fill(const SamplePlace& place, bool is_deferred);
  FillOutcome fill_large(const SamplePlace& place);
  EntryPointStore* entry_points() const;
  ReadFrom read_from() const {
    return {
        .plan = workshop_.plan, .entry_points = workshop_.entry_points, .cache = workshop_.cache};
  }
  // A sample that no reader brought.
  FillOutcome fetch_and_fill(SamplePlace place);

  void handle(const LoadedGroup& loaded, std::size_t i, const SamplePlace& place,
              FillOutcome outcome);
  // Puts another sample into the place of a bad one.
  Status replace(const Group& group, std::size_t i, const SamplePlace& place);

  Workshop& workshop_;
  ThreadCounters& counters_;
  LapClock clock_;
  FillScratch scratch_;
  Stretch fetched_;  // one sample that this worker reads itself
  std::vector<batch::BadSample> bad_;
};

}  // namespace penstock::deliver
