// How long it takes to open a folder of images, for the first time and with its index known.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "penstock/source/source.h"

namespace penstock::source {
namespace {

// Empty images, 1,000 in a class.
class Folder {
 public:
  explicit Folder(std::int64_t num_files) {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-XXXXXX").native();
    path_ = mkdtemp(name.data());
    for (std::int64_t i = 0; i < num_files; ++i) {
      const std::string class_folder = concat(path_, "/n0", 1'000'000 + i / 1000);
      if (i % 1000 == 0) std::filesystem::create_directory(class_folder);
      std::ofstream(concat(class_folder, "/n0", 1'000'000 + i / 1000, "_", i % 1000, ".JPEG"));
    }
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void open_folder(benchmark::State& state, bool uses_index_cache) {
  const Folder folder(state.range(0));
  const auto storage = storage::make_local_storage();
  const FolderOptions options{.path = folder.path(), .uses_index_cache = uses_index_cache};
  if (!make_folder_source(*storage, options).ok()) state.SkipWithError("cannot open the folder");
  for (auto _ : state) benchmark::DoNotOptimize(make_folder_source(*storage, options));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// A set number of iterations, so that the files are made once for each.
void BM_index_folder(benchmark::State& state) { open_folder(state, false); }
BENCHMARK(BM_index_folder)->ArgName("files")->Arg(4'000)->Arg(100'000)->Iterations(5);

void BM_open_indexed_folder(benchmark::State& state) { open_folder(state, true); }
BENCHMARK(BM_open_indexed_folder)->ArgName("files")->Arg(4'000)->Arg(100'000)->Iterations(20);

}  // namespace
}  // namespace penstock::source
