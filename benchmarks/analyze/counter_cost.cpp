// Delivers batches with counters on, with counters off, or both in turn.
//   counter_cost on|off|turns photos|tiny BATCHES FOLDER RUNS
// Prints one JSON object: samples a second of each run.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "penstock/penstock.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

Pipeline photos(const std::string& folder) {
  return penstock::folder(folder, "none")
      .shuffle({}, 1)
      .image("image", RandomResizedCrop{224}, RandomFlip{}, Normalize{})
      .repeat(100)
      .batch(32);
}

// Where counting costs most: samples that take a microsecond.
Pipeline tiny() {
  return Pipeline({"synthetic", {}, {{"samples", "1000000"}, {"shape", "32,32,3"}}})
      .shuffle({}, 1)
      .image("image", RandomFlip{})
      .repeat(10)
      .batch(256);
}

// Samples a second.
Result<double> measure(const Pipeline& pipeline, bool counts) {
  PENSTOCK_TRY_ASSIGN(
      const auto run,
      pipeline.run({.threads = 1, .counts = counts, .entry_points = deliver::EntryPointUse::kOff}));
  std::uint64_t num_samples = 0;
  Clock::time_point began;
  while (true) {
    PENSTOCK_TRY_ASSIGN(const auto batch, run->next());
    if (batch == nullptr) break;
    if (num_samples == 0) began = Clock::now();
    num_samples += batch->count;
  }
  const std::chrono::duration<double> elapsed = Clock::now() - began;
  return static_cast<double>(num_samples) / elapsed.count();
}

Status measure_all(const std::string& which, const Pipeline& pipeline, int num_runs) {
  std::array<std::string, 2> rates;
  for (int i = 0; i < num_runs; ++i) {
    for (int k = 0; k < 2; ++k) {
      const bool counts = (i + k) % 2 == 0;
      if (which != "turns" && counts != (which == "on")) continue;
      PENSTOCK_TRY_ASSIGN(const double rate, measure(pipeline, counts));
      std::string& list = rates[counts ? 0 : 1];
      list += (list.empty() ? "" : ", ") + std::to_string(rate);
    }
  }
  std::printf("{\"on\": [%s], \"off\": [%s]}\n", rates[0].c_str(), rates[1].c_str());
  return {};
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: counter_cost on|off|turns photos|tiny BATCHES FOLDER RUNS\n");
    return 2;
  }
  const auto num_batches = static_cast<std::uint64_t>(std::atoll(argv[3]));
  // Not one sample more, so that instructions can be compared.
  const penstock::Pipeline pipeline = std::string(argv[2]) == "tiny"
                                          ? penstock::tiny().take(256 * num_batches)
                                          : penstock::photos(argv[4]).take(32 * num_batches);
  const penstock::Status status = penstock::measure_all(argv[1], pipeline, std::atoi(argv[5]));
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
