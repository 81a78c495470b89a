// How long a run waits for the entry points of a large data set, and what finding one costs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "penstock/base/hash.h"
#include "penstock/deliver/entry_point_store.h"

namespace penstock::deliver {
namespace {

constexpr std::uint64_t kLimitBytes = std::uint64_t{256} << 20;

// Records of 32 bytes, 16,384 in a part.
class Kept {
 public:
  explicit Kept(std::int64_t num_records) {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-XXXXXX").native();
    folder_ = mkdtemp(name.data());
    const std::vector<std::byte> bytes(32);
    for (std::int64_t first = 0; first < num_records; first += 16'384) {
      source::EntryPointPart part;
      for (std::int64_t i = first; i < std::min(first + 16'384, num_records); ++i) {
        part.add(mix_bits(static_cast<std::uint64_t>(i)), bytes);
      }
      const std::string path = concat(folder_, "/", part_name(first, 0));
      if (!write_part(*storage_, path, part).ok()) std::abort();
    }
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() { std::filesystem::remove_all(folder_); }

  std::unique_ptr<EntryPointStore> open() const {
    auto store = std::make_unique<EntryPointStore>(
        std::vector<EntryPointFolder>{{storage_.get(), {folder_, ""}}},
        EntryPointOptions{.tidies = false});
    store->load(kLimitBytes);
    return store;
  }

 private:
  std::string folder_;
  std::unique_ptr<storage::Storage> storage_ = storage::make_local_storage();
};

void BM_open_entry_points(benchmark::State& state) {
  const Kept kept(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(kept.open());
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes_each"] =
      static_cast<double>(kept.open()->memory_bytes()) / static_cast<double>(state.range(0));
}
BENCHMARK(BM_open_entry_points)->ArgName("records")->Arg(100'000)->Arg(1'281'167)->Iterations(5);

void BM_find_entry_points(benchmark::State& state) {
  const Kept kept(state.range(0));
  const auto store = kept.open();
  std::uint64_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(store->find(mix_bits(i)));
    i = (i + 7919) % static_cast<std::uint64_t>(state.range(0));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_find_entry_points)->ArgName("records")->Arg(1'281'167);

}  // namespace
}  // namespace penstock::deliver
