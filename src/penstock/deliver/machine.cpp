// Cores, memory and rank, as the operating system and the launcher tell them.
#include "penstock/deliver/machine.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>

#include "penstock/base/fields.h"

namespace penstock::deliver {
namespace {

// The first words of a cgroup file; empty if there is no such file.
std::array<std::string, 2> cgroup_words(const char* name) {
  std::ifstream file(std::string("/sys/fs/cgroup/") + name);
  std::array<std::string, 2> words;
  file >> words[0] >> words[1];
  return words;
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  if (text.empty() || !field_detail::parse_value(text, value)) return std::nullopt;
  return value;
}

struct Launcher {
  const char* rank;
  const char* world;
};

// The order matters: torchrun may run below Slurm, Horovod below MPI.
constexpr std::array<Launcher, 6> kLaunchers = {{{"RANK", "WORLD_SIZE"},
                                                 {"HOROVOD_RANK", "HOROVOD_SIZE"},
                                                 {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                                 {"PMI_RANK", "PMI_SIZE"},
                                                 {"JAX_PROCESS_ID", "JAX_NUM_PROCESSES"},
                                                 {"SLURM_PROCID", "SLURM_NTASKS"}}};

}  // namespace

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = sched_getaffinity(0, sizeof set, &set) == 0
                  ? CPU_COUNT(&set)
                  : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const auto [quota, period] = cgroup_words("cpu.max");
  const auto quota_us = number_in(quota);
  const auto period_us = number_in(period);
  if (quota_us && period_us && *period_us > 0) {
    cores = std::min(cores, static_cast<int>(std::lround(*quota_us / *period_us)));
  }
  return std::max(1, cores);
}

int machine_cores() { return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)); }

std::uint64_t available_memory_bytes() {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const std::uint64_t physical = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  const auto limit = number_in(cgroup_words("memory.max")[0]);
  return limit ? std::min(physical, static_cast<std::uint64_t>(*limit)) : physical;
}

std::uint64_t cpu_clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

double process_cpu_s() {
  return 1e-9 * static_cast<double>(cpu_clock_ns(CLOCK_PROCESS_CPUTIME_ID));
}

double machine_cpu_s() {
  // "cpu  user nice system idle iowait irq softirq steal ...", in ticks.
  std::ifstream file("/proc/stat");
  std::string name;
  std::array<double, 8> ticks{};
  file >> name;
  for (double& count : ticks) file >> count;
  constexpr std::size_t kIdle = 3, kIoWait = 4;
  const double busy =
      std::accumulate(ticks.begin(), ticks.end(), 0.0) - ticks[kIdle] - ticks[kIoWait];
  return file ? busy / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0;
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

Result<pipeline::RankSpec> rank_of_launcher() {
  for (const Launcher& launcher : kLaunchers) {
    const char* rank = std::getenv(launcher.rank);
    const char* world = std::getenv(launcher.world);
    if (rank == nullptr || world == nullptr) continue;
    pipeline::RankSpec spec;
    if (!field_detail::parse_value(rank, spec.rank) ||
        !field_detail::parse_value(world, spec.world) || spec.rank >= spec.world) {
      return invalid_argument("the environment says ", launcher.rank, "=", rank, " and ",
                              launcher.world, "=", world,
                              ", expected a rank below the world size; or give shard(rank, world)");
    }
    return spec;
  }
  return pipeline::RankSpec{};
}

}  // namespace penstock::deliver
