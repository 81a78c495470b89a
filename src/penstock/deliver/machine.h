// What this process may use of the machine, and its place among others.
#pragma once

#include <time.h>

#include <cstdint>

#include "penstock/base/result.h"
#include "penstock/pipeline/spec.h"

namespace penstock::deliver {

// Cores this process may run on: its affinity, less what a cgroup quota takes. At least 1.
int available_cores();

// Cores of the machine, whoever may use them.
int machine_cores();

// Physical memory, or the cgroup's limit if that is lower.
std::uint64_t available_memory_bytes();

// What a clock shows that counts CPU time, of a thread or of this process.
std::uint64_t cpu_clock_ns(clockid_t clock);

// CPU time of this process, and of all processes of the machine since it was started; the latter is
// 0 if not known.
double process_cpu_s();
double machine_cpu_s();

// Peak resident memory of this process so far.
std::uint64_t peak_memory_bytes();

// Rank and world size as torchrun, Horovod, OpenMPI, MPICH, JAX or Slurm set them in the
// environment; 0 of 1 if none did. Fails if the variables are there and make no sense.
Result<pipeline::RankSpec> rank_of_launcher();

}  // namespace penstock::deliver
