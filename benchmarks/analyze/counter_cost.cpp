// Delivers batches with counters on or off.
//   counter_cost on|off photos|tiny BATCHES [FOLDER]
// Prints one JSON object.
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

int run(bool counts, bool is_tiny, std::uint64_t num_batches, const std::string& folder) {
  // Not one sample more, so that instructions can be compared.
  const Pipeline pipeline =
      is_tiny ? tiny().take(256 * num_batches) : photos(folder).take(32 * num_batches);
  const auto run =
      pipeline.run({.threads = 1, .counts = counts, .entry_points = deliver::EntryPointUse::kOff});
  if (!run.ok()) {
    std::fprintf(stderr, "%s\n", std::string(run.status().message()).c_str());
    return 1;
  }
  std::uint64_t num_samples = 0;
  Clock::time_point began;
  while (true) {
    const auto batch = (*run)->next();
    if (!batch.ok()) return 1;
    if (*batch == nullptr) break;
    if (num_samples == 0) began = Clock::now();
    num_samples += (*batch)->count;
  }
  const std::chrono::duration<double> elapsed = Clock::now() - began;
  std::printf("{\"samples_per_s\": %.1f}\n", static_cast<double>(num_samples) / elapsed.count());
  return 0;
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: counter_cost on|off photos|tiny BATCHES [FOLDER]\n");
    return 2;
  }
  return penstock::run(std::string(argv[1]) == "on", std::string(argv[2]) == "tiny",
                       static_cast<std::uint64_t>(std::atoll(argv[3])), argc > 4 ? argv[4] : "");
}
