// Trying single samples, in the thread that asks.
#pragma once

#include <cstdint>
#include <optional>

#include "penstock/batch/batch.h"
#include "penstock/deliver/counters.h"
#include "penstock/deliver/fill.h"
#include "penstock/deliver/reader.h"
#include "penstock/pipeline/plan.h"

namespace penstock::deliver {

// Not thread-safe. The plan must outlive it.
class SampleChecker {
 public:
  explicit SampleChecker(const pipeline::Plan& plan);

  // Reads and fills a sample; what is wrong with it, if anything.
  std::optional<batch::BadSample> check(std::uint64_t sample);

 private:
  const pipeline::Plan& plan_;
  batch::Batch batch_;
  ThreadCounters counters_;
  LapClock clock_;
  Stretch loaded_;
  FillScratch scratch_;
};

}  // namespace penstock::deliver
