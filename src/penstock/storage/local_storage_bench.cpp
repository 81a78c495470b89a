// Local reads in the two ways a dataset asks for them: many small files, and ranges of a few large
// shards; in batches of 1 (a plain call) and more. "cold" drops the pages of the files before each
// round with posix_fadvise, which leaves folders and inodes in memory.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "penstock/storage/storage.h"

namespace penstock::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSampleSize = 110 * 1024;
constexpr std::size_t kNumSamples = 1024;
constexpr std::size_t kNumShards = 4;

// A folder of its own with files in it, gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "penstock-XXXXXX").native();
    root_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(root_); }

  const std::string& root() const { return root_; }

  void add_file(const std::string& name, std::size_t size) {
    const fs::path path = fs::path(root_) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << std::string(size, 'x');
    paths_.push_back(path.native());
  }

  std::span<const std::string> paths() const { return paths_; }

  void drop_pages() const {
    for (const std::string& path : paths_) {
      const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
      fdatasync(fd);  // pages not yet written cannot be dropped
      posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
      close(fd);
    }
  }

 private:
  std::string root_;
  std::vector<std::string> paths_;
};

struct Place {
  std::string_view path;
  std::uint64_t offset;
};

// Reads every place once a round, in random order.
void read_all(benchmark::State& state, const Folder& folder, std::vector<Place> places) {
  const auto batch_size = static_cast<std::size_t>(state.range(0));
  const bool is_cold = state.range(2) != 0;
  const auto storage = make_local_storage(state.range(1) != 0 ? LocalIo::kAuto : LocalIo::kPread);
  std::ranges::shuffle(places, std::mt19937(1));
  std::vector<std::byte> out(batch_size * kSampleSize);
  std::vector<ReadRequest> requests(batch_size);
  for (auto _ : state) {
    if (is_cold) {
      state.PauseTiming();
      folder.drop_pages();
      state.ResumeTiming();
    }
    for (std::size_t i = 0; i < places.size(); i += batch_size) {
      for (std::size_t k = 0; k < batch_size; ++k) {
        const auto slot = MutableBytes(out).subspan(k * kSampleSize, kSampleSize);
        requests[k] = {places[i + k].path, places[i + k].offset, slot, {}};
      }
      storage->read(requests);
      for (const ReadRequest& request : requests) {
        if (!request.status.ok()) state.SkipWithError("a read failed");
      }
    }
  }
  const auto num_read = state.iterations() * static_cast<std::int64_t>(places.size());
  state.SetItemsProcessed(num_read);
  state.SetBytesProcessed(num_read * static_cast<std::int64_t>(kSampleSize));
}

void BM_read_small_files(benchmark::State& state) {
  Folder folder;
  for (std::size_t i = 0; i < kNumSamples; ++i) {
    folder.add_file(concat(i % 16, '/', i, ".jpg"), kSampleSize);
  }
  std::vector<Place> places;
  for (const std::string& path : folder.paths()) places.push_back({path, 0});
  read_all(state, folder, places);
}

void BM_read_shard_ranges(benchmark::State& state) {
  Folder folder;
  constexpr std::size_t kPerShard = kNumSamples / kNumShards;
  for (std::size_t i = 0; i < kNumShards; ++i) {
    folder.add_file(concat(i, ".tar"), kPerShard * kSampleSize);
  }
  std::vector<Place> places;
  for (std::size_t i = 0; i < kNumSamples; ++i) {
    places.push_back({folder.paths()[i / kPerShard], i % kPerShard * kSampleSize});
  }
  read_all(state, folder, places);
}

void read_arguments(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"batch", "uring", "cold"})->Unit(benchmark::kMillisecond)->UseRealTime();
  bench->ArgsProduct({{1, 8, 64}, {0, 1}, {0, 1}});
}
BENCHMARK(BM_read_small_files)->Apply(read_arguments);
BENCHMARK(BM_read_shard_ranges)->Apply(read_arguments);

// Files a second, from a warm cache.
void BM_list(benchmark::State& state) {
  Folder folder;
  for (int i = 0; i < 20'000; ++i) folder.add_file(concat("n", i % 20, "/image_", i, ".jpg"), 0);
  const auto storage = make_local_storage();
  for (auto _ : state) benchmark::DoNotOptimize(storage->list(folder.root()));
  state.SetItemsProcessed(state.iterations() * 20'000);
}
BENCHMARK(BM_list)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penstock::storage
