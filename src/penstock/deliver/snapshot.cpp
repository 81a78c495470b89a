// The difference of two moments.
#include "penstock/deliver/snapshot.h"

namespace penstock::deliver {

Snapshot difference(const Snapshot& end, const Snapshot& begin) {
  Snapshot out = end;
  out.time_s -= begin.time_s;
  out.batches -= begin.batches;
  out.last_batch_s -= begin.last_batch_s;
  out.reader_cpu_s -= begin.reader_cpu_s;
  out.worker_cpu_s -= begin.worker_cpu_s;
  out.map_cpu_s -= begin.map_cpu_s;
  out.process_cpu_s -= begin.process_cpu_s;
  out.machine_cpu_s -= begin.machine_cpu_s;
  const auto stages = out.stages();
  const auto before = begin.stages();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    stages[i]->samples -= before[i]->samples;
    stages[i]->bytes -= before[i]->bytes;
    stages[i]->busy_s -= before[i]->busy_s;
    stages[i]->wait_input_s -= before[i]->wait_input_s;
    stages[i]->wait_output_s -= before[i]->wait_output_s;
  }
  return out;
}

}  // namespace penstock::deliver
