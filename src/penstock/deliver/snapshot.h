// What a run has counted up to one moment. The difference of two is what happened in between.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock::deliver {

// One stage over all its threads, in sums since the run began.
struct StageStats {
  std::string_view name;
  int threads = 0;  // now; decode and transform share theirs
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // read: from storage; decode: pixels
  double busy_s = 0;
  double wait_input_s = 0;
  double wait_output_s = 0;
};

struct Snapshot {
  double time_s = 0;  // since the run began

  // In the order a sample passes. Decode waits for bytes, transform for a slot. Map is what Python
  // does with batches, in the thread that asks for them; trainer is what that thread does else.
  StageStats read{.name = "read"};
  StageStats decode{.name = "decode"};
  StageStats transform{.name = "transform"};
  StageStats map{.name = "map"};
  StageStats trainer{.name = "trainer"};

  std::uint64_t batches = 0;  // handed over
  double last_batch_s = 0;    // when the last of them was

  double reader_cpu_s = 0;
  double worker_cpu_s = 0;
  double map_cpu_s = 0;
  double process_cpu_s = 0;  // of all threads of this process
  double machine_cpu_s = 0;  // of all processes of the machine; 0 if not known

  // Queues: what is in them now, and the room they have.
  std::size_t ready_batches = 0;
  std::size_t max_ready_batches = 0;
  std::size_t loaded_groups = 0;
  std::size_t max_loaded_groups = 0;

  std::array<const StageStats*, 5> stages() const {
    return {&read, &decode, &transform, &map, &trainer};
  }
  std::array<StageStats*, 5> stages() { return {&read, &decode, &transform, &map, &trainer}; }
};

// What happened between two moments of a run; queues and threads as they were at the end.
Snapshot difference(const Snapshot& end, const Snapshot& begin);

}  // namespace penstock::deliver
