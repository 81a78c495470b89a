// Arbitrary text as a trainer's log.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "penstock/analyze/timing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock::analyze;
  const auto batches = parse_batch_log({reinterpret_cast<const char*>(data), size});
  if (!batches.ok()) return 0;
  for (const TimedBatch& batch : *batches) {
    if (!(batch.wait_s >= 0 && batch.step_s >= 0)) std::abort();
  }
  const Timing timing = analyze_timing(*batches);
  if (std::isnan(timing.utilisation) || print(timing).empty()) std::abort();
  return 0;
}
