// Ranges of 110 KiB from the page cache: of local shards, of the same shards through a cache that
// has checked every page before, and of a cache that checks all of them. In random order (the
// worst: a file is opened for each), or in stretches of 16 neighbours (as runs read what is far
// away).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "penstock/storage/cache/cached_storage.h"
#include "penstock/storage/cache/page_hash.h"
#include "penstock/storage/cache/test_cache_folder.h"
#include "penstock/storage/cache/test_far_storage.h"

namespace penstock::storage {
namespace {

constexpr std::size_t kSampleSize = 110 * 1024;
constexpr std::size_t kNumSamples = 1024;
constexpr std::size_t kNumShards = 4;
constexpr std::size_t kPerShard = kNumSamples / kNumShards;

struct Place {
  std::string path;
  std::uint64_t offset;
};

// In random order, but that `stretch` neighbours stay together.
std::vector<Place> places_in(const std::string& folder, std::size_t stretch) {
  std::vector<Place> places, order;
  for (std::size_t i = 0; i < kNumSamples; ++i) {
    places.push_back({concat(folder, '/', i / kPerShard, ".tar"), i % kPerShard * kSampleSize});
  }
  std::vector<std::size_t> firsts;
  for (std::size_t i = 0; i < kNumSamples; i += stretch) firsts.push_back(i);
  std::ranges::shuffle(firsts, std::mt19937(1));
  for (const std::size_t first : firsts) {
    order.insert(order.end(), places.begin() + static_cast<std::ptrdiff_t>(first),
                 places.begin() + static_cast<std::ptrdiff_t>(first + stretch));
  }
  return order;
}

// Every place once.
bool read_all(const Storage& storage, std::span<const Place> places, std::size_t batch_size) {
  std::vector<std::byte> out(batch_size * kSampleSize);
  std::vector<ReadRequest> requests(batch_size);
  bool is_ok = true;
  for (std::size_t i = 0; i < places.size(); i += batch_size) {
    for (std::size_t k = 0; k < batch_size; ++k) {
      const auto slot = MutableBytes(out).subspan(k * kSampleSize, kSampleSize);
      requests[k] = {places[i + k].path, places[i + k].offset, slot, {}};
    }
    storage.read(requests);
    for (const ReadRequest& request : requests) is_ok = is_ok && request.status.ok();
  }
  return is_ok;
}

void note_read(benchmark::State& state) {
  const auto num_read = state.iterations() * static_cast<std::int64_t>(kNumSamples);
  state.SetItemsProcessed(num_read);
  state.SetBytesProcessed(num_read * static_cast<std::int64_t>(kSampleSize));
}

void BM_read_local(benchmark::State& state) {
  const TestCacheFolder folder;
  for (std::size_t i = 0; i < kNumShards; ++i) {
    std::ofstream(concat(folder.root(), '/', i, ".tar"), std::ios::binary)
        << std::string(kPerShard * kSampleSize, 'x');
  }
  const auto places = places_in(folder.root(), static_cast<std::size_t>(state.range(1)));
  const auto storage = make_local_storage();
  for (auto _ : state) {
    if (!read_all(*storage, places, static_cast<std::size_t>(state.range(0)))) {
      state.SkipWithError("a read failed");
    }
  }
  note_read(state);
}

// A server with the shards, and a cache that holds them.
class Cache {
 public:
  explicit Cache(std::size_t stretch) : places(places_in("far", stretch)) {
    for (const Place& place : places) {
      server_.put(place.path, {.size_bytes = kPerShard * kSampleSize, .version = 1});
    }
    read_all(*open(), places, 64);
  }

  std::unique_ptr<Storage> open() {
    return make_cached_storage(std::make_unique<FarStorage>(server_),
                               {folder_.root(), std::uint64_t{1} << 30, counters});
  }

  const std::vector<Place> places;
  const std::shared_ptr<CacheCounters> counters = std::make_shared<CacheCounters>();

 private:
  TestCacheFolder folder_;
  FarServer server_;
};

void read_cached(benchmark::State& state, bool is_checked_before) {
  Cache cache(static_cast<std::size_t>(state.range(1)));
  const auto batch_size = static_cast<std::size_t>(state.range(0));
  auto storage = cache.open();
  read_all(*storage, cache.places, batch_size);
  const std::uint64_t misses_bytes = cache.counters->stats().misses_bytes;
  for (auto _ : state) {
    if (!is_checked_before) {
      state.PauseTiming();
      storage = cache.open();
      for (const Place& place : cache.places) benchmark::DoNotOptimize(storage->stat(place.path));
      state.ResumeTiming();
    }
    if (!read_all(*storage, cache.places, batch_size)) state.SkipWithError("a read failed");
  }
  if (cache.counters->stats().misses_bytes != misses_bytes) state.SkipWithError("a miss");
  note_read(state);
}

void BM_read_cached(benchmark::State& state) { read_cached(state, true); }
void BM_read_and_check_cached(benchmark::State& state) { read_cached(state, false); }

void read_arguments(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"batch", "stretch"})->Args({1, 1})->Args({16, 1})->Args({64, 1});
  bench->Args({16, 16})->Args({64, 16});
  bench->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
}
BENCHMARK(BM_read_local)->Apply(read_arguments);
BENCHMARK(BM_read_cached)->Apply(read_arguments);
BENCHMARK(BM_read_and_check_cached)->Apply(read_arguments);

void BM_page_hash(benchmark::State& state) {
  const std::vector<std::byte> page(kPageBytes, std::byte{42});
  for (auto _ : state) benchmark::DoNotOptimize(page_hash(page));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kPageBytes));
}
BENCHMARK(BM_page_hash);

}  // namespace
}  // namespace penstock::storage
